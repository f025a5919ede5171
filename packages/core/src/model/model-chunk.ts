import type { SourceChunk } from "../base/message/source.ts";
import type { TokenUsage } from "../base/message/token-usage.ts";
import type { ToolCallResult } from "../base/message/tool-call.ts";
import type { VendorState } from "./vendor-state.ts";

/**
 * The reason why a model call, or a run, finished: in the last chunk of its stream, and in a `ModelResponse`; the output of
 * a run does not have it. `tool_roundtrips`: the run reached its limit of round trips, and the
 * model had to answer without tools.
 */
export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter" | "tool_roundtrips" | "error" | "other";

/**
 * A piece of a streamed answer: text, thinking, a source, or a part of a tool call. Chunks of parallel tool calls may
 * interleave; their ids keep them apart.
 */
export type AnswerChunk =
  | { type: "text"; text: string }
  | { type: "thinking"; text: string }
  | SourceChunk
  | { type: "tool_call_start"; toolCall: { id: string; name: string } }
  | { type: "tool_call_delta"; toolCallId: string; argumentsDelta: string }
  | { type: "tool_call_end"; toolCallId: string };

/**
 * The result of a tool call in the stream of a run: what the model got, `error` when the tool failed, and the artifacts,
 * which the model does not see.
 */
export type ToolResultChunk = { type: "tool_result" } & Omit<ToolCallResult, "args">;

/** The progress of a tool call in the stream of a run, as the tool reported it: any JSON value. */
export type ToolProgressChunk = { type: "tool_progress"; toolCallId: string; toolName: string; progress: unknown };

/** The ids of the model that answered in place of another one. */
export type AnsweringModel = { providerId: string; modelId: string };

/** The last chunk of a model provider's stream: the reason why the answer finished, its usage, and the vendor's ids. */
export type ModelFinish = {
  type: "finish";
  finishReason: FinishReason;
  usage?: TokenUsage;
  /** The vendor's id of the response. */
  responseId?: string;
  /** The model that answered, by the vendor's own name for it. */
  model?: string;
  /** The model that answered, from a model that calls others. */
  answeredBy?: AnsweringModel;
  /** The number of tool calls in the answer that name no tool, which were left out; absent when there are none. */
  skippedCalls?: number;
  /** State for the next model call of the run. It is neither stored nor shown to a client. */
  vendorState?: VendorState;
};

/**
 * A chunk of a provider's stream. Its `tool_call_end` means that the arguments are complete; in a `StreamChunk`, that the
 * tool has been executed. Progress and results of tools are a run's alone: they are here so that a provider may be typed to yield
 * `StreamChunk`s, as the specification says, and are ignored.
 */
export type ModelChunk = AnswerChunk | ToolProgressChunk | ToolResultChunk | ModelFinish;
