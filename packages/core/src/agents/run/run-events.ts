import type { MessageContent } from "../../base/message/content.ts";
import type { StreamChunk } from "./stream-chunk.ts";
import type { TokenUsage } from "../../base/message/token-usage.ts";
import type { ErrorCode, ErrorFields, TroupeError } from "../../base/errors/troupe-error.ts";
import type { Artifact } from "../../base/message/tool-call.ts";
import type { EventIds } from "./event-ids.ts";
import type { CompleteRunOutput } from "./run-output.ts";

type ModelCallIds = { callId: string; providerId: string; modelId: string; attempt: number };

type OfRun<Data> = EventIds & Data;

/**
 * The events that a run emits on its runnable's event bus, each name with its data. Every run emits one `run.start`,
 * and one `run.complete` or `run.error`. A child run's `run.warning` also reaches the buses of the runs above it. Its
 * other events do not, but a team forwards the events of its members.
 */
export type RunEvents = {
  "run.start": OfRun<{ agentName: string; input: MessageContent }>;
  "run.complete": OfRun<{ output: CompleteRunOutput }>;
  "run.error": OfRun<{ error: TroupeError }>;
  "run.stream.chunk": OfRun<{ chunk: StreamChunk }>;
  "tool.call": OfRun<{ toolCallId: string; toolName: string; args: Record<string, unknown> }>;
  /** A tool reports its progress through `context.report`. */
  "tool.progress": OfRun<{ toolCallId: string; toolName: string; progress: unknown }>;
  /**
   * `error` is set if the tool failed, was refused or is unknown; it is the text for clients. `result` is the text for
   * the model and may quote an exception, so show clients `error` instead. The model does not get the artifacts.
   */
  "tool.result": OfRun<{
    toolCallId: string;
    toolName: string;
    result: MessageContent;
    error?: string;
    artifacts?: Artifact[];
  }>;
  /**
   * An attempt at a model call begins. The call may be for an answer, a repair, a summary, a title, fact extraction or
   * the choice of a member. Attempts at one call share a `callId` and count from 1. Each is followed by its
   * `model.result`.
   */
  "model.call": OfRun<ModelCallIds>;
  /**
   * An attempt at a model call has ended, with its billed usage or with an error (code and public message). A run's
   * usage is the sum of its own results and the results of its child runs. `responseId` is the vendor's id of the
   * response.
   */
  "model.result": OfRun<
    ModelCallIds & {
      usage?: TokenUsage;
      durationMs: number;
      responseId?: string;
      error?: { code: ErrorCode; message: string };
    }
  >;
  /**
   * A warning of a run, of a child run, or of background work: see `Run.warn`. `runId` is missing if the warning
   * belongs to no run.
   */
  "run.warning": Partial<EventIds> & {
    code: string;
    message: string;
    fields?: ErrorFields;
    /** True if the runnable's own logger has written the warning. A listener that logs warnings skips it. */
    logged?: boolean;
  };
};

/**
 * The name of an event that a run emits on its own bus only, so that a team must forward it from its members. A
 * `run.warning` reaches the buses of all runs above without forwarding.
 */
export type RunEventName = Exclude<keyof RunEvents, "run.warning">;

/** The names of the events that runs emit on their own bus only, for code that subscribes to each of them. */
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
