import type { MessageContent } from "../../base/message/content.ts";
import type { StreamChunk } from "./stream-chunk.ts";
import type { TokenUsage } from "../../base/message/token-usage.ts";
import type { ErrorCode, ErrorFields, TroupeError } from "../../base/errors/troupe-error.ts";
import type { Artifact } from "../../base/message/tool-call.ts";
import type { CompleteRunOutput } from "./run-output.ts";

type ModelCallIds = { callId: string; providerId: string; modelId: string; attempt: number };

type OfRun<Data> = { runId: string; parentRunId?: string } & Data;

/**
 * The events that a run emits on the event bus of its runnable, each name with its data. Every run has one `run.start` and
 * one of `run.complete` and `run.error`. Of a child run only `run.warning` also reaches the buses of the runs above; a team
 * forwards the events of its members.
 */
export type RunEvents = {
  "run.start": OfRun<{ agentName: string; input: MessageContent }>;
  "run.complete": OfRun<{ output: CompleteRunOutput }>;
  "run.error": OfRun<{ error: TroupeError }>;
  "run.stream.chunk": OfRun<{ chunk: StreamChunk }>;
  "tool.call": OfRun<{ toolCallId: string; toolName: string; args: Record<string, unknown> }>;
  /** A tool reports its progress, by `context.report`. */
  "tool.progress": OfRun<{ toolCallId: string; toolName: string; progress: unknown }>;
  /**
   * `error` is set when the tool failed, was refused or was unknown: what clients are told. `result` is what the model got,
   * and may quote an exception: give clients `error` in its place. The model sees no artifacts.
   */
  "tool.result": OfRun<{
    toolCallId: string;
    toolName: string;
    result: MessageContent;
    error?: string;
    artifacts?: Artifact[];
  }>;
  /**
   * An attempt at a model call begins: of an answer, a repair, a summary, an extraction of facts, the choice of a member.
   * Attempts at one call have the same `callId` and count from 1. Each is followed by its `model.result`.
   */
  "model.call": OfRun<ModelCallIds>;
  /**
   * An attempt at a model call has ended, with what it was billed or with an error: its code and public message. A run's
   * usage is the sum of its results and of those of its child runs. `responseId` is the vendor's id of the response.
   */
  "model.result": OfRun<
    ModelCallIds & {
      usage?: TokenUsage;
      durationMs: number;
      responseId?: string;
      error?: { code: ErrorCode; message: string };
    }
  >;
  /** A warning of a run, of a child run, or of background work: see `Run.warn`. It has no `runId` when it belongs to no run. */
  "run.warning": {
    runId?: string;
    parentRunId?: string;
    code: string;
    message: string;
    fields?: ErrorFields;
    /** True when the runnable's own logger has written it: a listener that logs warnings skips it. */
    logged?: boolean;
  };
};

/**
 * The name of an event that a run emits on its own bus alone, so that a team has to forward it from its members. A
 * `run.warning` goes to the buses of all runs above by itself.
 */
export type RunEventName = Exclude<keyof RunEvents, "run.warning">;

/** The names of the events that runs emit on their own bus alone, for code that subscribes to each of them. */
export const runEventNames = Object.keys({
  "run.start": true,
  "run.complete": true,
  "run.error": true,
  "run.stream.chunk": true,
  "tool.call": true,
  "tool.progress": true,
  "tool.result": true,
  "model.call": true,
  "model.result": true,
} satisfies Record<RunEventName, true>) as readonly RunEventName[];
