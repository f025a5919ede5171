import { LruCache } from "../../base/util/lru-cache.ts";
import type { Heartbeat } from "./queue-record.ts";

/** Times at which the storage was asked and at which it answered, in milliseconds of this process's monotonic clock. */
export type ReadTimes = { askedAt: number; answeredAt: number };

type Observation = { beat: number; firstSeenAt: number };

/** Beyond this number, the queue that was not read for longest is forgotten: its expired processes are found out later. */
const maxEntries = 1000;

/**
 * Tells which processes stopped sending heartbeats, by this process's own clock. Clocks of machines differ, so no time is
 * read from a record: a heartbeat expires when it has stayed the same for the `leaseMs` that it promises, as measured here.
 *
 * Observations are kept when no run waits any more. Otherwise runs that never wait would be refused for good.
 */
export class LivenessTracker {
  readonly #byKey = new LruCache<string, ReadonlyMap<string, Observation>>({ maxEntries });

  /** Number of queues that are remembered. */
  get size(): number {
    return this.#byKey.size;
  }

  /** Notes the heartbeats of other processes in a queue. Returns the processes whose heartbeats expired. */
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

  /** Forgets the heartbeats in a queue. */
  forget(key: string): void {
    this.#byKey.delete(key);
  }
}
