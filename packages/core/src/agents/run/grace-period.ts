import { TroupeError } from "../../base/errors/troupe-error.ts";

/** The grace period of an aborted run, for its storage and its hooks. */
const gracePeriodMs = 5000;

/** Bounds how long a run waits at its end: without limit until `start` is called, and for the grace period afterwards. */
export class GracePeriod {
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;
  /** Made when something is waited for: while a run streams, nothing is. */
  #over: PromiseWithResolvers<never> | undefined;

  /** Starts the grace period. Later calls change nothing. */
  start(): void {
    this.#timer ??= setTimeout(() => {
      this.#isOver = true;
      this.#over?.reject(tookTooLong());
    }, gracePeriodMs);
  }

  /** Waits for the work; rejects with `timeout` when the grace period is over first. */
  async wait(work: Promise<unknown>): Promise<void> {
    if (this.#over === undefined) {
      this.#over = Promise.withResolvers();
      this.#over.promise.catch(() => undefined);
      if (this.#isOver) this.#over.reject(tookTooLong());
    }
    await Promise.race([work, this.#over.promise]);
  }

  /** Stops the timer. */
  stop(): void {
    clearTimeout(this.#timer);
  }
}

function tookTooLong(): TroupeError {
  return new TroupeError("timeout", `The end of a run took longer than ${gracePeriodMs / 1000} seconds.`);
}
