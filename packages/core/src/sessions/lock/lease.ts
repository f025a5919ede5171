import { untilAborted } from "../../base/async/until-aborted.ts";
import { abortedError } from "../../base/errors/aborted-error.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { AppendOptions } from "../storage/storage-driver.ts";

/** Guard of a lease on a session that other processes may take over: makes writes depend on its fencing token. */
export type Fence = {
  /** Make an append depend on the fencing token. */
  readonly appendOptions: AppendOptions;
  /** Rejects as `conflict` when another process took the session over. */
  readonly confirm: () => Promise<void>;
};

/** Run that holds a lease, as its queue knows it. */
export interface LeaseHolder {
  /** True when another run may have changed the session since this one joined the queue. */
  readonly hadToWait: boolean;
  /** True when the session was deleted, so that its stored queue is deleted too. */
  forgetsQueue: boolean;
  /** Gives the lease back. May be called more than once. */
  leave(): void;
}

/**
 * A lease on a session: exclusive right to append, proven by its fencing token. A queue (`SessionQueue`, or `LocalQueue`
 * within one process) grants it to its first waiter.
 *
 * It is given back only when its last write has settled. A write that its caller no longer waits for may still reach the
 * storage, where it could replace what the next run wrote.
 */
export class Lease {
  /** True when another run may have changed the session since this one joined the queue: what was read before is stale. */
  readonly hadToWait: boolean;
  readonly #holder: LeaseHolder;
  readonly #fence: Fence | undefined;
  #writing: Promise<void> | undefined;
  #isReleased = false;
  #isRevoked = false;

  constructor(holder: LeaseHolder, fence?: Fence) {
    this.hadToWait = holder.hadToWait;
    this.#holder = holder;
    this.#fence = fence;
  }

  /** Options that make an append depend on this lease. Without other processes there are none. */
  get appendOptions(): AppendOptions {
    return this.#fence?.appendOptions ?? {};
  }

  /** Rejects as `conflict` when another process, or a later attempt at the run, took the session over. */
  async confirm(): Promise<void> {
    if (this.#isRevoked) throw overtaken();
    await this.#fence?.confirm();
  }

  /** Writes, after any write still under way. When the signal aborts, the outcome is unknown. */
  async write<Result>(operation: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    while (this.#writing !== undefined) await untilAborted(() => this.#writing ?? Promise.resolve(), signal);
    if (this.#isRevoked) throw overtaken();
    if (this.#isReleased) throw new TroupeError("internal", "This session was released: open it again to write.");
    if (signal?.aborted) throw abortedError(signal.reason);
    const write = operation();
    this.#track(write);
    return await untilAborted(() => write, signal);
  }

  /** Gives the lease back, once the last write has settled. May be called more than once. */
  release(): void {
    this.#isReleased = true;
    if (this.#writing === undefined) this.#holder.leave();
  }

  /** Gives the lease to a later attempt at the same run, once the last write has settled. */
  revoke(): void {
    this.#isRevoked = true;
    this.release();
  }

  /** Notes that the session was deleted: its stored queue is deleted with the lease, unless other runs wait. */
  forget(): void {
    this.#holder.forgetsQueue = true;
  }

  #track(write: Promise<unknown>): void {
    const settle = () => {
      this.#writing = undefined;
      if (this.#isReleased) this.#holder.leave();
    };
    this.#writing = write.then(settle, settle);
  }
}

function overtaken(): TroupeError {
  return new TroupeError("conflict", "A later attempt at the run has taken the session over.");
}
