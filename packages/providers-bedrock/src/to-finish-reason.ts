import type { FinishReason } from "@troupe/core";
import { getOwn } from "@troupe/core/kit";

const reasons: Readonly<Record<string, FinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  content_filtered: "content_filter",
  guardrail_intervened: "content_filter",
  malformed_model_output: "error",
  malformed_tool_use: "error",
};

/**
 * Converts Bedrock's stop reason. An unknown reason becomes `other`. Some models end with `end_turn` although they call
 * tools.
 */
export function toFinishReason(stopReason: string, hasCalls: boolean): FinishReason {
  const reason = getOwn(reasons, stopReason) ?? "other";
  return reason === "stop" && hasCalls ? "tool_calls" : reason;
}
