import type { FinishReason } from "@troupe/core";
import { getOwn } from "@troupe/core/kit";

const reasons: Readonly<Record<string, FinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "content_filter",
};

/**
 * Converts Anthropic's stop reason. An unknown reason becomes `other`, and so does the `pause_turn` of an answer that
 * was continued as often as allowed.
 */
export function toFinishReason(stopReason: string): FinishReason {
  return getOwn(reasons, stopReason) ?? "other";
}
