import type { Response } from "express";
import { requestRecordOf } from "../exchange/request-record.ts";

type Waiter = { bytes: number; enter: () => void };

/**
 * A semaphore that limits the bytes that the uploads of all active requests hold in memory together. Requests that need
 * more than are free wait in the order of their arrival; the end of a response releases its bytes, or that of its run if the
 * run goes on.
 */
export class ByteSemaphore {
  #free: number;
  readonly #waiters = new Set<Waiter>();

  constructor(bytes: number) {
    this.#free = bytes;
  }

  /** Takes bytes until the response is over, waiting for them if need be. Resolves without them if it is over before. */
  async acquire(bytes: number, response: Response): Promise<void> {
    if (response.closed) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    let hasEntered = false;
    const enter = (): void => {
      hasEntered = true;
      this.#free -= bytes;
      resolve();
    };
    const waiter = { bytes, enter };
    const release = (): void => {
      if (hasEntered) this.#free += bytes;
      this.#admit();
    };
    response.once("close", () => {
      this.#waiters.delete(waiter);
      resolve();
      const { runEnd } = requestRecordOf(response);
      if (runEnd === undefined) release();
      else void runEnd.then(release);
    });
    this.#waiters.add(waiter);
    this.#admit();
    await promise;
  }

  #admit(): void {
    for (const waiter of this.#waiters) {
      if (waiter.bytes > this.#free) return;
      this.#waiters.delete(waiter);
      waiter.enter();
    }
  }
}
