import type { FinishReason } from "@troupe/core";
import { getOwn } from "@troupe/core/adapter";

const reasons: Readonly<Record<string, FinishReason>> = {
  STOP: "stop",
  MAX_TOKENS: "length",
  CONTINUATION: "length",
  SAFETY: "content_filter",
  RECITATION: "content_filter",
  BLOCKLIST: "content_filter",
  PROHIBITED_CONTENT: "content_filter",
  SPII: "content_filter",
  MALFORMED_FUNCTION_CALL: "error",
  MALFORMED_RESPONSE: "error",
  UNEXPECTED_TOOL_CALL: "error",
  TOO_MANY_TOOL_CALLS: "error",
};

/** Why the model stopped, in our words. There is no reason of its own for calls. */
export function toFinishReason(reason: string, hasCalls: boolean): FinishReason {
  if (reason === "STOP" && hasCalls) return "tool_calls";
  if (reason.startsWith("IMAGE_")) return "content_filter";
  return getOwn(reasons, reason) ?? "other";
}
