import type { TroupeError } from "../errors/troupe-error.ts";

type Leave = (reason: TroupeError) => void;

/**
 * The tool calls of a batch that are under way. When the batch ends, for whatever reason, calls that have not finished
 * are given up at once, and their results are ignored.
 */
export class RunningCalls {
  readonly #leaving = new Set<Leave>();
  #reason: (() => TroupeError) | undefined;

  /** True once the batch has ended, so that results are ignored. */
  get isOver(): boolean {
    return this.#reason !== undefined;
  }

  /** Waits for the work, and calls `leave` when the batch ends before the work is done. */
  async during<Result>(work: Promise<Result>, leave: Leave): Promise<Result> {
    // The work may itself have ended the batch.
    if (this.#reason !== undefined) leave(this.#reason());
    this.#leaving.add(leave);
    try {
      return await work;
    } finally {
      this.#leaving.delete(leave);
    }
  }

  /** Ends the batch. The first reason counts; it is made only where a call is left, since errors are expensive. */
  end(reason: () => TroupeError): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    for (const leave of this.#leaving) leave(reason());
  }
}
