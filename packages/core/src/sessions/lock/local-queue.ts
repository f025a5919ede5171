import type { JoinOptions } from "./busy-policy.ts";
import { isLater } from "./queue-record.ts";
import { Waiter } from "./waiter.ts";
import type { QueuePosition } from "./waiter.ts";

/**
 * First-come queue within this process, for a session of an unshared storage, or for a single record. Its first waiter
 * holds the lease. Sessions of a shared storage use a `SessionQueue` instead.
 *
 * It does not detect that one run waits for another. A run that starts another run on its own session waits for itself,
 * until the inner run is rejected after `waitMs`.
 */
export class LocalQueue {
  readonly #waiters: Waiter[] = [];
  readonly #onEmpty: () => void;

  constructor(onEmpty: () => void) {
    this.#onEmpty = onEmpty;
  }

  /**
   * Returns the number of runs ahead of a new run. It is 0 for a later attempt at a durable run, which takes the
   * position of the earlier attempt.
   */
  lengthFor({ run }: JoinOptions): number {
    return this.#waiters.some(({ options }) => isLater(run, options.run)) ? 0 : this.#waiters.length;
  }

  /** Adds a run at the end. A later attempt at a durable run gets the position of the earlier attempt. */
  join(options: JoinOptions): QueuePosition {
    const waiter = new Waiter(options, () => this.#remove(waiter));
    waiter.markKnown();
    const earlier = this.#waiters.find((other) => isLater(options.run, other.options.run));
    this.#insert(waiter, earlier);
    if (this.#waiters.length === 1) waiter.grant();
    else {
      waiter.hadToWait = true;
      waiter.wait();
    }
    if (earlier?.state === "holding") earlier.revoke();
    return waiter;
  }

  /**
   * Inserts a waiter after an earlier attempt that holds the lease, before an earlier attempt that waits, or otherwise
   * at the end.
   */
  #insert(waiter: Waiter, earlier: Waiter | undefined): void {
    const index = earlier === undefined ? this.#waiters.length : this.#waiters.indexOf(earlier);
    this.#waiters.splice(earlier?.state === "holding" ? index + 1 : index, 0, waiter);
  }

  #remove(waiter: Waiter): void {
    const index = this.#waiters.indexOf(waiter);
    if (index === -1) return;
    this.#waiters.splice(index, 1);
    if (this.#waiters.length === 0) this.#onEmpty();
    else if (index === 0) this.#waiters[0]?.grant();
  }
}
