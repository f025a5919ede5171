import type { PublicError } from "../../base/errors/public-error.ts";
import type { ErrorCode, TroupeErrorOptions } from "../../base/errors/troupe-error.ts";
import type { TokenUsage } from "../../base/message/token-usage.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import { RunError } from "../run/run-output.ts";
import type { CompleteRunOutput } from "../run/run-output.ts";

/**
 * The status of a workflow step that was started. A step whose condition is false is `skipped`. A step is `cancelled`
 * if its run ended, or a parallel step failed, before its own end.
 */
export type StepStatus = "completed" | "skipped" | "error" | "cancelled";

/** The result of one workflow step: its status, its duration, and the agent's answer or the error. */
export type StepResult = {
  name: string;
  status: StepStatus;
  durationMs: number;
  /** The answer of an agent step: its structured output, or else its text. */
  output?: unknown;
  error?: PublicError;
};

/** The state of a workflow run: the keys of `initialState`, and each agent step's answer under the step's name. */
export type WorkflowState<State> = State & Record<string, unknown>;

/** The result of a workflow run; for a failed run, its state up to the failure. */
export type WorkflowResult<State = Readonly<Record<string, unknown>>> = {
  runId: string;
  status: "completed" | "error";
  state: WorkflowState<State>;
  /** The steps that were started, in the order of the configuration. Nested steps follow their enclosing step. */
  steps: StepResult[];
  /** The usage of all model calls of the run. */
  usage: TokenUsage;
  durationMs: number;
  /** False if the turn of an agent step could not be stored: see the agents' option `onStorageFailure`. */
  stored?: false;
};

/**
 * An event of a workflow step, in the stream of the run. A step that was interrupted by the end of its run has no
 * `step_end`.
 */
export type StepEvent =
  | { type: "step_start"; step: string }
  /** The step failed and is repeated. Chunks that it streamed before are void. */
  | { type: "step_retry"; step: string }
  /** A chunk of the stream of the step's agent. */
  | { type: "chunk"; step: string; chunk: StreamChunk }
  | { type: "step_end"; step: string; status: StepStatus; durationMs: number };

/** An item of the stream of `Workflow.stream`: an event of a step, or the last item `finish`, which has the result. */
export type WorkflowChunk<State = Readonly<Record<string, unknown>>> =
  | StepEvent
  | { type: "finish"; result: WorkflowResult<State> };

/** The error of a failed workflow run, with its result up to the failure. `fields.step` names the failed step. */
export class WorkflowError extends RunError {
  declare readonly result: WorkflowResult;

  constructor(
    code: ErrorCode,
    message: string,
    options: TroupeErrorOptions & { output: CompleteRunOutput; result: WorkflowResult },
  ) {
    super(code, message, options);
    Object.defineProperty(this, "result", { value: options.result });
  }
}
