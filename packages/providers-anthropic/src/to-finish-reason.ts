import type { FinishReason } from "@troupe/core";
import { getOwn } from "@troupe/core/adapter";

const reasons: Readonly<Record<string, FinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "content_filter",
};

/** Why the model stopped, in our words. `pause_turn` is among the others: only the vendor's own tools pause a turn. */
export function toFinishReason(stopReason: string): FinishReason {
  return getOwn(reasons, stopReason) ?? "other";
}
