import type { TokenUsage } from "../message/token-usage.ts";

/** Why a model, or a run, stopped. */
export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter" | "tool_roundtrips" | "error" | "other";

/**
 * What a stream yields. A provider ends a tool call when its arguments are complete; a run ends it when the tool has
 * been executed. Chunks of parallel calls may interleave; their ids keep them apart.
 */
export type StreamChunk =
  | { type: "text"; text: string }
  | { type: "thinking"; text: string }
  | { type: "tool_call_start"; toolCall: { id: string; name: string } }
  | { type: "tool_call_delta"; toolCallId: string; argumentsDelta: string }
  | { type: "tool_call_end"; toolCallId: string }
  | { type: "finish"; finishReason: FinishReason; usage?: TokenUsage };
