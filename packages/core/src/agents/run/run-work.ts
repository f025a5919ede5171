import type { FinishReason } from "../../model/model-chunk.ts";
import type { ObservedRunKind } from "../../base/telemetry/operations.ts";
import type { StreamChunk } from "./stream-chunk.ts";
import type { RunError, CompleteRunOutput } from "./run-output.ts";

/** The end of a run as its hooks receive it: the output, or the error with which the run failed or was cancelled. */
export type RunEnd<Structured = unknown> = { output: CompleteRunOutput<Structured> } | { error: RunError };

/**
 * The work of one run, implemented by each kind of runnable. `RunExecution` calls it and handles events, signal,
 * limits, and exactly one end. If the run is aborted, work in progress is abandoned and its results are ignored.
 */
export interface RunWork<Structured = unknown> {
  /** False if the run can have no structured answer: reading its `objectStream` is rejected. @default true */
  readonly isStructured?: boolean;
  /** The kind of the run for telemetry. @default "agent" */
  readonly kind?: ObservedRunKind;
  /** Prepares the run and returns its stream, which yields all chunks except `finish` and returns the finish reason. */
  begin(): Promise<AsyncGenerator<StreamChunk, FinishReason>>;
  /** True if an answer is delivered although its turn cannot be stored. @default false */
  readonly answersUnstored?: boolean;
  /**
   * Stores the work of a finished run. The end is announced afterwards; a rejection makes the run fail, unless
   * `answersUnstored` is set.
   */
  saveFinished?(): Promise<unknown>;
  /** Stores the work of a failed or cancelled run. Errors are logged. */
  saveInterrupted?(): Promise<void>;
  /** Records that the run waits for an answer, so that another attempt can continue it. Errors are logged. */
  suspend?(): Promise<void>;
  /** Called with the end of the run before it is announced. Errors are logged. */
  onEnd?(end: RunEnd<Structured>): void | Promise<void>;
  /** Releases the resources of the run, such as its session's lease. */
  release?(): void;
}
