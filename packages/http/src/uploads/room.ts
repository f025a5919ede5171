import type { Response } from "express";

type Waiting = { bytes: number; enter: () => void };

/** Room for so many bytes at a time. Whoever needs more than is left waits: first come, first served. */
export class Room {
  #left: number;
  readonly #waiting = new Set<Waiting>();

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** Resolves when there is room, which is taken until the response is over; or without it when that is over before. */
  async enter(bytes: number, response: Response): Promise<void> {
    if (response.closed) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    let hasEntered = false;
    const enter = (): void => {
      hasEntered = true;
      this.#left -= bytes;
      resolve();
    };
    const waiting = { bytes, enter };
    response.once("close", () => {
      this.#waiting.delete(waiting);
      if (hasEntered) this.#left += bytes;
      resolve();
      this.#admit();
    });
    this.#waiting.add(waiting);
    this.#admit();
    await promise;
  }

  #admit(): void {
    for (const waiting of this.#waiting) {
      if (waiting.bytes > this.#left) return;
      this.#waiting.delete(waiting);
      waiting.enter();
    }
  }
}
