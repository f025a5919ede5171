import type { SourceChunk } from "../base/message/source.ts";
import type { TokenUsage } from "../base/message/token-usage.ts";
import type { ToolCallResult } from "../base/message/tool-call.ts";
import type { VendorState } from "./vendor-state.ts";

/**
 * The reason why a model call, or a run, finished. It is in the last chunk of a stream and in a `ModelResponse`. A
 * run's output contains it only for an incomplete answer. `tool_roundtrips`: the run reached its limit of round trips,
 * and the model had to answer without tools.
 */
export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter" | "tool_roundtrips" | "error" | "other";

/**
 * A piece of a streamed answer: text, thinking, a source, or a part of a tool call. Chunks of parallel tool calls may
 * interleave; their ids distinguish them.
 */
export type AnswerChunk =
  | { type: "text"; text: string }
  | { type: "thinking"; text: string }
  | SourceChunk
  | { type: "tool_call_start"; toolCall: { id: string; name: string } }
  | { type: "tool_call_delta"; toolCallId: string; argumentsDelta: string }
  | { type: "tool_call_end"; toolCallId: string };

/**
 * The result of a tool call in the stream of a run: the content for the model, or the public text of a failure.
 * Artifacts are not seen by the model.
 */
export type ToolResultChunk = { type: "tool_result" } & Omit<ToolCallResult, "args">;

/** The progress of a tool call in the stream of a run, as reported by the tool: any JSON value. */
export type ToolProgressChunk = { type: "tool_progress"; toolCallId: string; toolName: string; progress: unknown };

/** The ids of the model that answered instead of the called model. */
export type AnsweringModel = { providerId: string; modelId: string };

/** The last chunk of a model provider's stream: the finish reason, the usage, and the vendor's ids. */
export type ModelFinish = {
  type: "finish";
  finishReason: FinishReason;
  usage?: TokenUsage;
  /** The vendor's id of the response. */
  responseId?: string;
  /** The vendor's own name for the model that answered. */
  model?: string;
  /** The model that answered, set by a model that calls other models. */
  answeredBy?: AnsweringModel;
  /** The number of the model's tool calls that were omitted because they name no tool; absent if there are none. */
  skippedCalls?: number;
  /** The vendor's state for the next model call of the run. It is not shown to clients. */
  vendorState?: VendorState;
};

/**
 * A chunk of a provider's stream. Its `tool_call_end` means that the arguments are complete; in a `StreamChunk` it
 * means that the tool was executed. Tool progress and tool results occur only in runs. The type includes them because
 * providers may be typed to yield `StreamChunk`s; these chunks are ignored.
 */
export type ModelChunk = AnswerChunk | ToolProgressChunk | ToolResultChunk | ModelFinish;
