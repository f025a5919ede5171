import { withTimeout } from "../../base/async/with-timeout.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { holdsToken } from "../storage/check-lease.ts";
import type { SharedDriver } from "../storage/shared-driver.ts";
import type { LivenessTracker } from "./liveness.ts";
import { readQueueRecord } from "./queue-record.ts";
import type { Heartbeat, QueueRecord } from "./queue-record.ts";

/** Namespace in the storage for the stored queues, one record for each session. */
export const lockNamespace = "locks";

/** Parts that all session queues of this process over one storage share. */
export type QueueContext = {
  driver: SharedDriver;
  /** An id that is unique to this process. */
  process: string;
  leaseMs: number;
  liveness: LivenessTracker;
  /** Returns a number that this process has not used before. */
  nextNumber: () => number;
};

/**
 * Result of reading a stored queue: the record, or `null` if missing, and the processes in it whose heartbeats expired.
 */
export type QueueSnapshot = { stored: QueueRecord | null; expired: ReadonlySet<string> };

/** Reads the stored queue of one session and replaces it with compare-and-set, for a `SessionQueue`. */
export class StoredQueue {
  readonly #context: QueueContext;
  readonly #key: string;
  #heartbeatAt = 0;

  constructor(context: QueueContext, key: string) {
    this.#context = context;
    this.#key = key;
  }

  /** Reads the stored queue of the session, and passes its heartbeats to the `LivenessTracker`. */
  async read(): Promise<QueueSnapshot> {
    const { driver, process, liveness } = this.#context;
    const askedAt = performance.now();
    const value = await this.#inTime(driver.get(lockNamespace, this.#key));
    const stored = readQueueRecord(value, { namespace: lockNamespace, key: this.#key });
    const others = (stored?.processes ?? []).filter((other) => other.process !== process);
    return { stored, expired: liveness.observe(this.#key, others, { askedAt, answeredAt: performance.now() }) };
  }

  /** Replaces the stored queue, or deletes it for `null`. Returns `false` if another process changed it first. */
  async replace(stored: QueueRecord | null, next: QueueRecord | null): Promise<boolean> {
    const heartbeatAt = performance.now();
    const isWritten = await this.#inTime(this.#context.driver.compareAndSet(lockNamespace, this.#key, stored, next));
    if (isWritten) this.#heartbeatAt = heartbeatAt;
    return isWritten;
  }

  /** Rejects as `conflict` unless the stored queue still has this fencing token. */
  async confirm(token: number): Promise<void> {
    if (holdsToken(await this.#context.driver.get(lockNamespace, this.#key), token)) return;
    throw new TroupeError(
      "conflict",
      "Another process took the session over, because this one sent no heartbeat in time. Try again.",
    );
  }

  /** Milliseconds until this process must write a heartbeat: early enough for two retries. */
  get heartbeatDueInMs(): number {
    return this.#heartbeatAt + this.#context.leaseMs / 3 - performance.now();
  }

  /** Makes a heartbeat that differs from all earlier heartbeats. */
  newHeartbeat(): Heartbeat {
    const { process, leaseMs, nextNumber } = this.#context;
    return { process, leaseMs, beat: nextNumber() };
  }

  /**
   * Limits the time of a storage call: a call that hangs must not block the session for this process forever. If such a
   * call takes effect later, the next read of the queue shows that.
   */
  async #inTime<Result>(call: Promise<Result>): Promise<Result> {
    const { leaseMs: timeoutMs } = this.#context;
    const onTimeout = (): never => {
      const message = `The storage did not answer within ${timeoutMs} ms, when asked for the queue of a session.`;
      throw new TroupeError("storage_unavailable", message);
    };
    return await withTimeout(call, { timeoutMs, onTimeout, unref: true });
  }
}
