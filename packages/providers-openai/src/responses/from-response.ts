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
 * Converts the JSON body of a Responses answer that was not streamed to a `ModelResponse`. Throws `VendorError` for one
 * that failed, which can come with status 200, and `TruncatedResponseError` for one that is not finished.
 */
export function fromResponsesResponse(body: unknown, { options, modelId }: ModelCall): ModelResponse {
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
      vendorState: toVendorState(modelId, output),
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
 * Tells if an item is commentary beside an answer that must be JSON. Its text counts as thinking, to keep it out of the
 * JSON.
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

/** Returns the words of a message or of readable reasoning, with a refusal. */
export function wordsOf({ content }: OutputItem): string {
  return readObjects(content)
    .map(({ text, refusal }) => readText(text ?? refusal))
    .join("");
}

/** Returns the words of a reasoning item: with models that have open weights the reasoning itself, else a summary in parts. */
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
