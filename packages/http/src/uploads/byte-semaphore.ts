import type { Exchange } from "@troupe/core/transport";

/**
 * The part of an exchange (an HTTP request and its answer) that determines for how long the bytes of its upload are
 * held.
 */
export type HoldingExchange = Pick<Exchange, "isClosed" | "onClose" | "untilRunEnds">;

type Waiter = { bytes: number; enter: () => void };

/**
 * A semaphore that limits the bytes that the uploads of all active requests hold in memory together. Requests that
 * need more than is free wait in order of arrival. Bytes are released at the end of their exchange, or of its run if
 * the run continues.
 */
export class ByteSemaphore {
  #free: number;
  readonly #waiters = new Set<Waiter>();

  constructor(bytes: number) {
    this.#free = bytes;
  }

  /**
   * Takes bytes until the exchange is over, and waits for them if necessary. Resolves without them if the exchange
   * ends first.
   */
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
      void exchange.untilRunEnds().then(release);
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
