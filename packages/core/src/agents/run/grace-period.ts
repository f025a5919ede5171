import { TroupeError } from "../../base/errors/troupe-error.ts";

/** Milliseconds of the grace period of a failed or aborted run, for its storage and its hooks. */
const gracePeriodMs = 5000;

/** Limits the waits at the end of a run: unlimited until `start` is called, then at most the grace period. */
export class GracePeriod {
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;
  /** Rejects when the grace period is over. Created on the first wait, because a streaming run waits for nothing. */
  #over: PromiseWithResolvers<never> | undefined;

  /** Starts the grace period. Later calls have no effect. */
  start(): void {
    this.#timer ??= setTimeout(() => {
      this.#isOver = true;
      this.#over?.reject(tookTooLong());
    }, gracePeriodMs);
  }

  /** Waits for the work. Rejects with `timeout` if the grace period ends first. */
  async wait(work: Promise<unknown>): Promise<void> {
    if (this.#over === undefined) {
      this.#over = Promise.withResolvers();
      this.#over.promise.catch(() => undefined);
      if (this.#isOver) this.#over.reject(tookTooLong());
    }
    await Promise.race([work, this.#over.promise]);
  }

  /** Stops the timer of the grace period. */
  stop(): void {
    clearTimeout(this.#timer);
  }
}

function tookTooLong(): TroupeError {
  return new TroupeError("timeout", `The end of a run took longer than ${gracePeriodMs / 1000} seconds.`);
}
