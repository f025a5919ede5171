import type { FinishReason } from "../../model/model-chunk.ts";
import type { StreamChunk } from "./stream-chunk.ts";
import type { RunError, CompleteRunOutput } from "./run-output.ts";

/** The end of a run, as its hooks are told: its output, or the error with which it failed or was cancelled. */
export type RunEnd<Structured = unknown> = { output: CompleteRunOutput<Structured> } | { error: RunError };

/**
 * The work of one run, implemented by each kind of runnable. `RunExecution` calls it and sees to the rest: events,
 * signal, limits, and exactly one end. When the run is aborted, work that is going on is left where it stands, and its
 * results are ignored.
 */
export interface RunWork<Structured = unknown> {
  /** False when the run can have no structured answer: a reader of its `objectStream` is refused. @default true */
  readonly isStructured?: boolean;
  /** Prepares the run and returns its stream: all chunks but `finish`, and at last the reason why it finished. */
  begin(): Promise<AsyncGenerator<StreamChunk, FinishReason>>;
  /** True when an answer whose turn cannot be stored is delivered all the same. @default false */
  readonly answersUnstored?: boolean;
  /**
   * Stores what a finished run did. The end is announced afterwards; a rejection makes the run a failed one, unless
   * `answersUnstored` is set.
   */
  saveFinished?(): Promise<unknown>;
  /** Stores what a failed or cancelled run did. Errors are logged. */
  saveInterrupted?(): Promise<void>;
  /** Notes where the run is known that it waits for an answer: another attempt goes on with it. Errors are logged. */
  suspend?(): Promise<void>;
  /** Called with the end of the run before it is announced. Errors are logged. */
  onEnd?(end: RunEnd<Structured>): void | Promise<void>;
  /** Releases what the run held. */
  release?(): void;
}
