import type { TokenUsage } from "../message/token-usage.ts";
import type { AnswerChunk, FinishReason, ToolProgressChunk, ToolResultChunk } from "../model/model-chunk.ts";

/**
 * A chunk of the stream of a run, ended by `finish`. A tool call that is executed has a `tool_progress` for
 * what its tool reports, a `tool_result` and then its
 * `tool_call_end`, which in a model's stream means only that the arguments are complete.
 */
export type StreamChunk =
  | AnswerChunk
  | ToolProgressChunk
  | ToolResultChunk
  /** The end of a run that completed. `stored` is false when the turn of its answer could not be stored. */
  | { type: "finish"; finishReason: FinishReason; usage?: TokenUsage; stored?: false };
