import type { JoinOptions } from "./busy-policy.ts";
import { isLater } from "./queue-record.ts";
import { Waiter } from "./waiter.ts";
import type { QueuePosition } from "./waiter.ts";

/**
 * First-come queue within this process, for a session of a storage that is not shared, or for a single record. Its first
 * waiter holds the lease. Sessions of a shared storage have a `SessionQueue` instead.
 *
 * It does not know which run waits for which: a run that starts another on its own session waits for itself, until the
 * inner run is refused after `waitMs`.
 */
export class LocalQueue {
  readonly #waiters: Waiter[] = [];
  readonly #onEmpty: () => void;

  constructor(onEmpty: () => void) {
    this.#onEmpty = onEmpty;
  }

  /** Number of runs that come before a new one. A later attempt at a durable run has the place of an earlier one. */
  lengthFor({ run }: JoinOptions): number {
    return this.#waiters.some(({ options }) => isLater(run, options.run)) ? 0 : this.#waiters.length;
  }

  /** Adds a run at the end, or a later attempt at a durable run in the place of an earlier one. */
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

  /** Inserts a waiter behind an earlier attempt that holds the lease, before one that waits, and else at the end. */
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
