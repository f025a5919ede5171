import { untilAborted } from "../../base/async/until-aborted.ts";
import { abortedError } from "../../base/errors/aborted-error.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { AppendOptions } from "../storage/storage-driver.ts";

/**
 * Guard of a lease on a session that other processes may take over. It makes writes depend on the lease's fencing
 * token.
 */
export type Fence = {
  /** Options that make an append of a turn depend on the lease's fencing token. */
  readonly appendOptions: AppendOptions;
  /** Rejects as `conflict` if another process took over the session. */
  readonly confirm: () => Promise<void>;
};

/** A run that holds a lease, as its queue sees it. */
export interface LeaseHolder {
  /** True if another run may have changed the session since this run joined the queue. */
  readonly hadToWait: boolean;
  /** True if the session was deleted, so that its stored queue is deleted too. */
  forgetsQueue: boolean;
  /** Releases the lease. May be called more than once. */
  leave(): void;
}

/**
 * A lease on a session: exclusive right to append, proven by its fencing token. A queue (`SessionQueue`, or
 * `LocalQueue` within one process) grants it to its first waiter.
 *
 * It is released only after its last write has settled: an abandoned write may still reach the storage, where it could
 * replace the next run's data.
 */
export class Lease {
  /**
   * True if another run may have changed the session since this run joined the queue, so that earlier reads are stale.
   */
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

  /** Options that make an append of a turn depend on this lease. Empty if only this process can use the session. */
  get appendOptions(): AppendOptions {
    return this.#fence?.appendOptions ?? {};
  }

  /** Rejects as `conflict` if another process, or a later attempt at the run, took over the session. */
  async confirm(): Promise<void> {
    if (this.#isRevoked) throw overtaken();
    await this.#fence?.confirm();
  }

  /**
   * Runs a write under this lease, after all its earlier writes have settled. Rejects without writing once the lease
   * was released or revoked. If the signal aborts during the write, its outcome is unknown.
   */
  async write<Result>(operation: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    while (this.#writing !== undefined) await untilAborted(() => this.#writing ?? Promise.resolve(), signal);
    if (this.#isRevoked) throw overtaken();
    if (this.#isReleased) throw new TroupeError("internal", "This session was released: open it again to write.");
    if (signal?.aborted) throw abortedError(signal.reason);
    const write = operation();
    this.#track(write);
    return await untilAborted(() => write, signal);
  }

  /** Releases the lease after the last write has settled. May be called more than once. */
  release(): void {
    this.#isReleased = true;
    if (this.#writing === undefined) this.#holder.leave();
  }

  /** Passes the lease to a later attempt at the same run after the last write has settled. */
  revoke(): void {
    this.#isRevoked = true;
    this.release();
  }

  /**
   * Notes that the session was deleted: its stored queue is deleted together with the lease, unless other runs wait.
   */
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
