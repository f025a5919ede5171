import type { JoinOptions } from "./busy-policy.ts";
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

  /** Number of runs that hold the lease or wait for it. */
  get length(): number {
    return this.#waiters.length;
  }

  /** Adds a run at the end. */
  join(options: JoinOptions): QueuePosition {
    const waiter = new Waiter(options, () => this.#remove(waiter));
    waiter.markKnown();
    this.#waiters.push(waiter);
    if (this.#waiters.length === 1) waiter.grant();
    else {
      waiter.hadToWait = true;
      waiter.wait();
    }
    return waiter;
  }

  #remove(waiter: Waiter): void {
    const index = this.#waiters.indexOf(waiter);
    if (index === -1) return;
    this.#waiters.splice(index, 1);
    if (this.#waiters.length === 0) this.#onEmpty();
    else if (index === 0) this.#waiters[0]?.grant();
  }
}
