import { createId, readObject, readObjects, readText } from "@troupe/core/kit";
import { noUsage, TruncatedResponseError } from "@troupe/core/provider";
import type { ModelResponse } from "@troupe/core";
import type { ModelCall } from "../model-call.ts";
import { toFinishDetails } from "../finish-details.ts";
import { argumentsText, callId, toToolCalls } from "../to-tool-calls.ts";
import type { UnparsedCall } from "../to-tool-calls.ts";
import { toChatFinishReason, toChatUsage } from "./finish.ts";
import { ThinkingCollector } from "./replay.ts";
import { contentText, readChoice, usageIn } from "./read-choice.ts";
import { citedSources, listedSources } from "./sources.ts";
import type { WireCall, WireCompletion, WireMessage } from "./wire-types.ts";

/**
 * Converts the JSON body of an unstreamed Chat Completions answer to a `ModelResponse`. Throws `VendorError` if it
 * contains an error, and `TruncatedResponseError` if it contains no message or ended with an error.
 */
export function fromChatResponse(body: unknown, call: ModelCall): ModelResponse {
  const completion: WireCompletion = readObject(body);
  const choice = readChoice(completion);
  if (!choice?.message) throw new TruncatedResponseError("sent an answer without content");
  const message: WireMessage = readObject(choice.message);
  const kept = new ThinkingCollector();
  const thinking = kept.add(message);
  const given: WireCall[] = readObjects(message.tool_calls);
  const calls = toToolCalls(toUnparsedCalls(given));
  const skippedCalls = given.length - calls.toolCalls.length;
  const sources = [...citedSources(message), ...listedSources(completion)];
  const vendorState = kept.toVendorState(call);
  return {
    text: contentText(message.content) + readText(message.refusal),
    ...calls,
    ...(thinking !== "" && { thinking }),
    ...(sources.length > 0 && { sources }),
    usage: toChatUsage(usageIn(completion), call.rules) ?? noUsage,
    finishReason: toChatFinishReason(readText(choice.finish_reason) || "stop", calls.toolCalls.length > 0),
    ...toFinishDetails({ id: completion.id, model: completion.model, vendorState, skippedCalls }),
  };
}

function toUnparsedCalls(calls: readonly WireCall[]): UnparsedCall[] {
  const ids = new Set<string>();
  return calls.flatMap((call) => {
    const given = callId(call.id);
    const id = given !== "" && !ids.has(given) ? given : `call_${createId()}`;
    ids.add(id);
    const { name, arguments: args } = readObject(call.function);
    // A call without a name can neither be executed nor sent back.
    return readText(name) === "" ? [] : [{ id, name: readText(name), text: argumentsText(args) }];
  });
}
