import { TroupeError } from "../../base/errors/troupe-error.ts";

/** Milliseconds of the grace period of a failed or aborted run, for its storage and its hooks. */
const gracePeriodMs = 5000;

/** Limits the waits at the end of a run: unlimited until `start` is called, then at most the grace period. */
export class GracePeriod {
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;
  /** Ends the waits when the grace period is over. Created on the first wait, because a run may wait for nothing. */
  #endWaits: (() => void)[] | undefined;

  /** Starts the grace period. Later calls have no effect. */
  start(): void {
    this.#timer ??= setTimeout(() => {
      this.#isOver = true;
      for (const end of this.#endWaits ?? []) end();
    }, gracePeriodMs);
  }

  /** Waits for the work. Rejects with `timeout` if the grace period ends first. */
  wait(work: Promise<unknown>): Promise<unknown> {
    // Written by hand instead of with `Promise.race`, which costs several times as much: every run that stores a turn
    // waits here.
    return new Promise((resolve, reject) => {
      const end = () => reject(tookTooLong());
      (this.#endWaits ??= []).push(end);
      // A hook in plain JavaScript may return any thenable.
      Promise.resolve(work).then(resolve, reject);
      // Work that has already finished is accepted even after the grace period.
      if (this.#isOver) queueMicrotask(end);
    });
  }

  /** Stops the timer of the grace period. */
  stop(): void {
    clearTimeout(this.#timer);
  }
}

function tookTooLong(): TroupeError {
  return new TroupeError("timeout", `The end of a run took longer than ${gracePeriodMs / 1000} seconds.`);
}
