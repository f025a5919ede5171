import { TroupeError } from "../errors/troupe-error.ts";

/** How long a run that is to end waits for its storage and its hooks. */
const graceMs = 5000;

/**
 * Bounds what a run waits for at its end. As long as nobody presses, it waits; once it was pressed, a moment longer.
 */
export class Grace {
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;
  /** Made when somebody waits: as long as a run streams, nobody does. */
  #over: PromiseWithResolvers<never> | undefined;

  /** From now on the time counts. */
  press(): void {
    this.#timer ??= setTimeout(() => {
      this.#isOver = true;
      this.#over?.reject(tookTooLong());
    }, graceMs);
  }

  /** Waits for the work, within the time there is. */
  async wait(work: void | Promise<void>): Promise<void> {
    if (work === undefined) return;
    if (this.#over === undefined) {
      this.#over = Promise.withResolvers();
      this.#over.promise.catch(() => undefined);
      if (this.#isOver) this.#over.reject(tookTooLong());
    }
    await Promise.race([work, this.#over.promise]);
  }

  /** There is nothing left to wait for. */
  stop(): void {
    clearTimeout(this.#timer);
  }
}

function tookTooLong(): TroupeError {
  return new TroupeError("timeout", `The end of a run took longer than ${graceMs / 1000} seconds.`);
}
