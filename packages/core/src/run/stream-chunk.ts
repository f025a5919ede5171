import type { TokenUsage } from "../message/token-usage.ts";
import type { AnswerChunk, FinishReason, ToolResultChunk } from "../model/model-chunk.ts";

/**
 * A chunk of the stream of a run, ended by `finish`. A tool call that has been executed has its `tool_result` and then its
 * `tool_call_end`, which in a model's stream means only that the arguments are complete.
 */
export type StreamChunk =
  | AnswerChunk
  | ToolResultChunk
  | { type: "finish"; finishReason: FinishReason; usage?: TokenUsage };
