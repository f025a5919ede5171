import { createId, noUsage } from "@troupe/core/adapter";
import type { ModelResponse } from "@troupe/core/adapter";
import type { ModelCall } from "../model-call.ts";
import { toFinishDetails } from "../finish-details.ts";
import { toToolCalls } from "../to-tool-calls.ts";
import type { UnparsedCall } from "../to-tool-calls.ts";
import { toVendorError } from "../vendor-error.ts";
import { toChatFinishReason, toChatUsage } from "./finish.ts";
import { ThinkingCollector } from "./replay.ts";
import { argumentsText, readChoice, textOf, usageOf } from "./read-choice.ts";
import type { WireCall, WireCompletion } from "./wire-types.ts";

/**
 * Converts the JSON body of a Chat Completions answer that was not streamed to a `ModelResponse`. Throws `VendorError`
 * when it holds an error or no message.
 */
export function fromChatResponse(body: unknown, { modelId }: ModelCall): ModelResponse {
  const completion = body as WireCompletion;
  const choice = readChoice(completion);
  if (!choice?.message) throw toVendorError({ code: 502, message: "The answer holds no message." });
  const { message, finish_reason: reason } = choice;
  const usage = usageOf(completion);
  const kept = new ThinkingCollector();
  const thinking = kept.add(message);
  const calls = toToolCalls(toUnparsedCalls(message.tool_calls ?? []));
  return {
    text: textOf(message.content) + (message.refusal ?? ""),
    ...calls,
    ...(thinking !== "" && { thinking }),
    usage: usage ? toChatUsage(usage) : noUsage,
    finishReason: toChatFinishReason(reason ?? "stop", calls.toolCalls.length > 0),
    ...toFinishDetails({ id: completion.id, model: completion.model, vendorState: kept.toVendorState(modelId) }),
  };
}

function toUnparsedCalls(calls: readonly WireCall[]): UnparsedCall[] {
  const ids = new Set<string>();
  return calls.flatMap(({ id: given, function: call }) => {
    const id = given && !ids.has(given) ? given : `call_${createId()}`;
    ids.add(id);
    return call?.name ? [{ id, name: call.name, text: argumentsText(call.arguments) }] : [];
  });
}
