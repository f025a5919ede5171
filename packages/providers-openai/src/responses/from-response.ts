import { readObject, readObjects, readText } from "@troupe/core/kit";
import { noUsage, TruncatedResponseError } from "@troupe/core/provider";
import type { ModelResponse } from "@troupe/core";
import { wantsJson } from "../answer-format.ts";
import type { ModelCall } from "../model-call.ts";
import { toFinishDetails } from "../finish-details.ts";
import { argumentsText, toToolCalls } from "../to-tool-calls.ts";
import type { UnparsedCall } from "../to-tool-calls.ts";
import { toVendorError } from "../errors.ts";
import { toResponsesFinishReason, toResponsesUsage } from "./finish.ts";
import { toVendorState } from "./replay.ts";
import { sourcesIn } from "./sources.ts";
import { countNameless, isNamedCall, toCallId } from "./streamed-calls.ts";
import type { OutputItem, WireResponse } from "./wire-types.ts";

/**
 * Converts the JSON body of an unstreamed Responses answer to a `ModelResponse`. Throws `VendorError` for a failed
 * answer, which can have status 200, and `TruncatedResponseError` for an unfinished answer.
 */
export function fromResponsesResponse(body: unknown, call: ModelCall): ModelResponse {
  const { options } = call;
  const response: WireResponse = readObject(body);
  checkStatus(response);
  const { usage, id, model } = response;
  const output: OutputItem[] = readObjects(response.output);
  const { text, thinking } = readWords(output, wantsJson(options.responseFormat));
  const calls = toToolCalls(output.flatMap(toUnparsedCall));
  const sources = output.flatMap(sourcesIn);
  return {
    text,
    ...calls,
    ...(thinking !== "" && { thinking }),
    ...(sources.length > 0 && { sources }),
    usage: toResponsesUsage(usage) ?? noUsage,
    finishReason: toResponsesFinishReason(response, calls.toolCalls.length > 0),
    ...toFinishDetails({
      id,
      model,
      vendorState: toVendorState(call, output),
      skippedCalls: countNameless(output),
    }),
  };
}

function checkStatus({ status, error }: WireResponse): void {
  if (status === "completed" || status === "incomplete") return;
  if (status === "failed" || error) throw toVendorError(error);
  throw new TruncatedResponseError("sent an answer that is not finished");
}

/**
 * Returns true if an item is commentary in an answer that must be JSON. Its text counts as thinking, so that the answer
 * contains only the JSON.
 */
export function isCommentary({ phase }: OutputItem, isJson: boolean): boolean {
  return isJson && phase === "commentary";
}

function readWords(output: readonly OutputItem[], isJson: boolean): { text: string; thinking: string } {
  let [text, thinking] = ["", ""];
  for (const item of output) {
    if (item.type === "reasoning") thinking += summaryOf(item, thinking !== "");
    if (item.type === "message" && isCommentary(item, isJson)) thinking += wordsOf(item);
    else if (item.type === "message") text += wordsOf(item);
  }
  return { text, thinking };
}

/** Returns the text of a message or of readable reasoning, including a refusal. */
export function wordsOf({ content }: OutputItem): string {
  return readObjects(content)
    .map(({ text, refusal }) => readText(text ?? refusal))
    .join("");
}

/**
 * Returns the text of a reasoning item: its summary or, as open-weight models send it, the reasoning itself. `isLater`:
 * the item follows other reasoning, from which its summary is separated.
 */
export function summaryOf(item: OutputItem, isLater: boolean): string {
  const summary = readObjects(item.summary)
    .map(({ text }) => readText(text))
    .join("\n\n");
  if (summary === "") return wordsOf(item);
  return isLater ? `\n\n${summary}` : summary;
}

function toUnparsedCall(item: OutputItem): UnparsedCall[] {
  if (!isNamedCall(item)) return [];
  const { call_id: id, name, arguments: args } = item;
  return [{ id: toCallId(id), name, text: argumentsText(args) }];
}
