import { TroupeError } from "../errors/troupe-error.ts";

/** How long a run that is to end waits for its storage and its hooks. */
const graceMs = 5000;

/**
 * Bounds what a run waits for at its end. As long as nobody presses, it waits; once it was pressed, a moment longer.
 */
export class Grace {
  readonly #over = Promise.withResolvers<never>();
  #timer: NodeJS.Timeout | undefined;

  constructor() {
    this.#over.promise.catch(() => undefined);
  }

  /** From now on the time counts. */
  press(): void {
    this.#timer ??= setTimeout(() => {
      const seconds = graceMs / 1000;
      this.#over.reject(new TroupeError("timeout", `The end of a run took longer than ${seconds} seconds.`));
    }, graceMs);
  }

  /** Waits for the work, within the time there is. */
  async wait(work: void | Promise<void>): Promise<void> {
    if (work !== undefined) await Promise.race([work, this.#over.promise]);
  }

  /** There is nothing left to wait for. */
  stop(): void {
    clearTimeout(this.#timer);
  }
}
