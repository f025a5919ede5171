import type { FinishReason, ModelOptions } from "@troupe/core";
import type { Reply } from "./reply.ts";
import { firstWords } from "./words.ts";

/** The reply as far as it may go, and why it ends there. */
export function cutReply(
  reply: Reply,
  { maxTokens = Infinity, stop = [] }: ModelOptions,
): { reply: Reply; finishReason: FinishReason } {
  if (reply.calls.length > 0) return { reply, finishReason: "tool_calls" };
  const ends = stop.map((sequence) => reply.text.indexOf(sequence)).filter((index) => index >= 0);
  const stopped = reply.text.slice(0, Math.min(...ends, reply.text.length));
  const text = firstWords(stopped, maxTokens);
  return { reply: { text, calls: [] }, finishReason: text === stopped ? "stop" : "length" };
}
