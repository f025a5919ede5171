import type { Exchange } from "@troupe/core/transport";

/** The part of an exchange that says how long its bytes are held. */
export type HoldingExchange = Pick<Exchange, "isClosed" | "onClose" | "record">;

type Waiter = { bytes: number; enter: () => void };

/**
 * A semaphore that limits the bytes that the uploads of all active requests hold in memory together. Requests that need
 * more than are free wait in the order of their arrival; the end of an exchange releases its bytes, or that of its run if the
 * run goes on.
 */
export class ByteSemaphore {
  #free: number;
  readonly #waiters = new Set<Waiter>();

  constructor(bytes: number) {
    this.#free = bytes;
  }

  /** Takes bytes until the exchange is over, waiting for them if need be. Resolves without them if it is over before. */
  async acquire(bytes: number, exchange: HoldingExchange): Promise<void> {
    if (exchange.isClosed) return;
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
    exchange.onClose(() => {
      this.#waiters.delete(waiter);
      resolve();
      const { runEnd } = exchange.record;
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
