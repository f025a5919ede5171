import { LruCache } from "../../base/util/lru-cache.ts";
import type { Heartbeat } from "./queue-record.ts";

/** The times of a storage request and of its answer, in milliseconds of this process's monotonic clock. */
export type ReadTimes = { askedAt: number; answeredAt: number };

type Observation = { beat: number; firstSeenAt: number };

/**
 * The maximum number of sessions whose queues are observed. Beyond it, the least recently read queue is dropped, and
 * its expired processes are detected later.
 */
const maxEntries = 1000;

/**
 * Finds the processes that stopped sending heartbeats, by this process's own clock. Clocks of machines differ, so no
 * time is read from a record: a heartbeat expires if it stays unchanged for its own `leaseMs`, as measured here.
 *
 * A queue's observations are kept after its waiting runs were rejected. Otherwise runs that never wait would be
 * rejected permanently.
 */
export class LivenessTracker {
  readonly #byKey = new LruCache<string, ReadonlyMap<string, Observation>>({ maxEntries });

  /** Number of observed queues. */
  get size(): number {
    return this.#byKey.size;
  }

  /** Records the heartbeats of other processes in a queue. Returns the processes whose heartbeats have expired. */
  observe(key: string, others: readonly Heartbeat[], { askedAt, answeredAt }: ReadTimes): Set<string> {
    const earlier = this.#byKey.peek(key);
    const observed = new Map<string, Observation>();
    const expired = new Set<string>();
    for (const { process, beat, leaseMs } of others) {
      const last = earlier?.get(process);
      const isSame = last?.beat === beat;
      observed.set(process, isSame ? last : { beat, firstSeenAt: answeredAt });
      if (isSame && askedAt - last.firstSeenAt >= leaseMs) expired.add(process);
    }
    if (observed.size > 0) this.#byKey.set(key, observed);
    else this.forget(key);
    return expired;
  }

  /** Forgets the heartbeats observed in a queue. */
  forget(key: string): void {
    this.#byKey.delete(key);
  }
}
