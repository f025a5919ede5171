import type { RunWait } from "../journal/log-entry.ts";
import type { TokenUsage } from "../../base/message/token-usage.ts";
import type { AnswerChunk, FinishReason, ToolProgressChunk, ToolResultChunk } from "../../model/model-chunk.ts";

/**
 * Tells the reader of a kept run's events that the run waits: for leave to call a tool, for the result of a tool that the
 * client executes, or for word on a call that was cut off. It comes between the chunks, which go on once there is an answer.
 */
export type WaitChunk = { type: "wait"; runId: string; waitId: string } & Omit<RunWait, "id" | "askedAt">;

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
