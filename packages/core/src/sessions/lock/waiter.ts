import { abortedError } from "../../base/errors/aborted-error.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { busyTooLong } from "./busy-policy.ts";
import type { JoinOptions } from "./busy-policy.ts";
import { Lease } from "./lease.ts";
import type { Fence } from "./lease.ts";

/** Position of a run in the queue for a session or record, returned by `join`. Await `granted` for the lease. */
export interface QueuePosition {
  /**
   * Resolves when the queue was read from the storage, or the run was rejected; immediately for a queue in memory. From
   * then on the session may be read: its state is current unless the lease's `hadToWait` is true.
   */
  readonly known: Promise<void>;
  /**
   * Resolves when the position is first in the queue. Rejects if the policy rejects the run, its signal aborts, the
   * caller calls `leave`, or the storage fails.
   */
  readonly granted: Promise<Lease>;
  /** Gives up the position or the lease. May be called more than once. */
  leave(): void;
}

/** One run of this process that waits for a session, or holds its lease. */
export class Waiter implements QueuePosition {
  /** Number of the waiter in the stored queue, unique within this process. */
  readonly number: number;
  readonly options: JoinOptions;
  /** The waiter's state. `queued`: the waiter is in the stored queue. */
  state: "new" | "queued" | "holding" = "new";
  hadToWait = false;
  /** True if the session was deleted, so that its stored queue is deleted too. */
  forgetsQueue = false;
  /**
   * Created only if `known` is awaited before the queue was read. A queue within this process is known from the start.
   */
  #known: PromiseWithResolvers<void> | undefined;
  #isKnown = false;
  readonly #granted = Promise.withResolvers<Lease>();
  readonly #onLeave: () => void;
  #lease: Lease | undefined;
  #timer: NodeJS.Timeout | undefined;
  #onAbort: (() => void) | undefined;
  #hasOutcome = false;

  /**
   * Makes a waiter. `onLeave` is called when it is rejected or gives up its position or lease, possibly more than once.
   */
  constructor(options: JoinOptions, onLeave: () => void, number = 0) {
    this.options = options;
    this.number = number;
    this.#onLeave = onLeave;
    this.granted.catch(() => {});
  }

  get known(): Promise<void> {
    if (this.#isKnown) return Promise.resolve();
    this.#known ??= Promise.withResolvers<void>();
    return this.#known.promise;
  }

  /** The lease, once granted. A rejection never counts as unhandled. */
  get granted(): Promise<Lease> {
    return this.#granted.promise;
  }

  /** Starts the wait for the lease, for at most `waitMs` milliseconds or until the signal aborts. */
  wait(): void {
    const { waitMs, signal } = this.options;
    this.#timer = setTimeout(() => this.refuse(busyTooLong(waitMs)), waitMs);
    this.#onAbort = () => this.refuse(abortedError(signal?.reason));
    signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  markKnown(): void {
    this.#isKnown = true;
    this.#known?.resolve();
  }

  grant(fence?: Fence): void {
    this.state = "holding";
    this.#settle();
    this.#lease = new Lease(this, fence);
    this.#granted.resolve(this.#lease);
  }

  /** Takes the lease away for a later attempt at the same run: no more writes are made under it. */
  revoke(): void {
    this.#lease?.revoke();
  }

  refuse(error: unknown): void {
    this.#settle();
    this.#granted.reject(error);
    this.markKnown();
    this.#onLeave();
  }

  leave(): void {
    if (this.#hasOutcome) this.#onLeave();
    else this.refuse(new TroupeError("cancelled", "The run left the queue for its session."));
  }

  #settle(): void {
    this.#hasOutcome = true;
    clearTimeout(this.#timer);
    if (this.#onAbort !== undefined) this.options.signal?.removeEventListener("abort", this.#onAbort);
    this.#onAbort = undefined;
  }
}
