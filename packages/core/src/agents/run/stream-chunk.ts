import type { TokenUsage } from "../../base/message/token-usage.ts";
import type { AnswerChunk, FinishReason, ToolProgressChunk, ToolResultChunk } from "../../model/model-chunk.ts";
import type { RunWait } from "./run-wait.ts";

/**
 * A question of a durable run, for the reader of the run's events. The run waits for one of these: approval of a tool
 * call, the result of a tool that the client executes, an answer about an interrupted call, or a release that has the
 * tools of the run. More chunks follow after the answer.
 */
export type WaitChunk = { type: "wait"; runId: string; waitId: string } & Omit<RunWait, "id" | "askedAt">;

/**
 * The member of a team that wrote a text. Text of a `member` is not part of the team's answer: it is streamed with
 * the option `streamMembers`. Text of a `speaker` is part of the team's answer, because in mode `route` the speaker's
 * answer is the team's. `delegationId` is the id of the tool call that handed the task to the member. The name of a
 * member within a member follows a slash.
 */
type SpokenBy = { member?: string; speaker?: string; delegationId?: string };

/** A piece of text or thinking in the stream of a run. Without `member` it is part of the run's answer. */
export type TextChunk = ({ type: "text"; text: string } & SpokenBy) | ({ type: "thinking"; text: string } & SpokenBy);

/**
 * A chunk of a run's stream, which ends with `finish`. An executed tool call has a `tool_progress` for each progress
 * report, a `tool_result`, and then its `tool_call_end`. In a model's stream `tool_call_end` only means that the
 * arguments are complete.
 */
export type StreamChunk =
  | TextChunk
  | Exclude<AnswerChunk, { type: "text" | "thinking" }>
  | ToolProgressChunk
  | ToolResultChunk
  /** The end of a completed run. `stored` is false if the turn of its answer could not be stored. */
  | { type: "finish"; finishReason: FinishReason; usage?: TokenUsage; stored?: false };
