import { TroupeError } from "../base/errors/troupe-error.ts";
import type { ModelChunk } from "./model-chunk.ts";

/**
 * The length of one answer in UTF-16 units: of text, thinking, arguments and sources together. The longest answers of
 * today's models are thirty times shorter; only a vendor that never stops comes to it.
 */
export const maxAnswerLength = 16_777_216;

/** Characters that a call or a source counts beside its text. */
const overhead = 64;

/** Makes the error of an answer that is longer than `maxAnswerLength`. */
export function answerTooLong(): TroupeError {
  const message = `The model's answer is longer than ${maxAnswerLength} characters. It was ended there.`;
  return new TroupeError("model_failed", message);
}

/** Returns what a chunk adds to the length of its answer. An empty one counts too: a stream may have nothing else. */
export function lengthOf(chunk: ModelChunk): number {
  switch (chunk.type) {
    case "text":
    case "thinking":
      return 1 + chunk.text.length;
    case "tool_call_delta":
      return 1 + chunk.argumentsDelta.length;
    case "tool_call_start":
      return overhead + chunk.toolCall.id.length + chunk.toolCall.name.length;
    case "source":
      return overhead + sizeOf(chunk.id) + sizeOf(chunk.url) + sizeOf(chunk.title);
    default:
      return 1;
  }
}

/** A provider of a third party may give anything. */
function sizeOf(text: unknown): number {
  return typeof text === "string" ? text.length : 0;
}
