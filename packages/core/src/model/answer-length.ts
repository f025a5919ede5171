import { TroupeError } from "../base/errors/troupe-error.ts";
import type { ModelChunk } from "./model-chunk.ts";

/**
 * The maximum length of one answer in UTF-16 units: text, thinking, arguments and sources together. The longest answers
 * of today's models are thirty times shorter; only an answer that never ends reaches the maximum.
 */
export const maxAnswerLength = 16_777_216;

/** Characters that each tool call or source adds to an answer's length, in addition to its text. */
const overhead = 64;

/** Makes the error of an answer that is longer than `maxAnswerLength`. */
export function answerTooLong(): TroupeError {
  const message = `The model's answer is longer than ${maxAnswerLength} characters. It was ended there.`;
  return new TroupeError("model_failed", message);
}

/**
 * Returns the length that a chunk adds to its answer. An empty chunk counts too, because a stream may consist only of
 * empty chunks.
 */
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

/** Returns the length of a string, and 0 for any other value, because a third party's provider may return anything. */
function sizeOf(text: unknown): number {
  return typeof text === "string" ? text.length : 0;
}
