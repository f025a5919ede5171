import { LruCache } from "../../base/util/lru-cache.ts";
import type { Heartbeat } from "./queue-record.ts";

/** The times of a storage request and of its answer, in milliseconds of this process's monotonic clock. */
export type ReadTimes = { askedAt: number; answeredAt: number };

type Observation = { readonly counter: number | undefined; readonly since: number };

/**
 * Counters of other processes. Each process changes its own counter regularly as long as it lives. A process has
 * expired if its counter stays unchanged for too long. Clocks of machines differ, so the time is measured by this
 * process's own clock alone, and no time is read from a record.
 */
export class ObservedCounters {
  #seen: ReadonlyMap<string, Observation> = new Map();

  /**
   * Notes the values of all counters, read at a time in milliseconds of this process's monotonic clock. A process
   * without a counter is forgotten.
   */
  observe(counters: Iterable<readonly [process: string, counter: number | undefined]>, at: number): void {
    const seen = new Map<string, Observation>();
    for (const [process, counter] of counters) {
      const last = this.#seen.get(process);
      seen.set(process, last?.counter === counter && last !== undefined ? last : { counter, since: at });
    }
    this.#seen = seen;
  }

  /**
   * Returns for how many milliseconds, up to the time `until`, the counter of a process stayed unchanged; 0 for an
   * unknown process.
   */
  stillMs(process: string, until: number): number {
    return until - (this.#seen.get(process)?.since ?? until);
  }

  /** Drops all observations, such as after a pause in which no counter was read. */
  clear(): void {
    this.#seen = new Map();
  }
}

/**
 * The maximum number of sessions whose queues are observed. Beyond it, the least recently read queue is dropped, and
 * its expired processes are detected later.
 */
const maxEntries = 1000;

/**
 * Finds the processes in session queues that stopped sending heartbeats: a heartbeat expires if it stays unchanged for
 * its own `leaseMs`.
 *
 * A queue's observations are kept after its waiting runs were rejected. Otherwise runs that do not wait for a busy
 * session would never see that its lease has expired, and would be rejected permanently.
 */
export class LivenessTracker {
  readonly #byKey = new LruCache<string, ObservedCounters>({ maxEntries });

  /** Number of observed queues. */
  get size(): number {
    return this.#byKey.size;
  }

  /** Records the heartbeats of other processes in a queue. Returns the processes whose heartbeats have expired. */
  observe(key: string, others: readonly Heartbeat[], { askedAt, answeredAt }: ReadTimes): Set<string> {
    const counters = this.#byKey.peek(key) ?? new ObservedCounters();
    counters.observe(
      others.map(({ process, beat }) => [process, beat]),
      answeredAt,
    );
    if (others.length > 0) this.#byKey.set(key, counters);
    else this.forget(key);
    const expired = others.filter(({ process, leaseMs }) => counters.stillMs(process, askedAt) >= leaseMs);
    return new Set(expired.map(({ process }) => process));
  }

  /** Forgets the heartbeats observed in a queue. */
  forget(key: string): void {
    this.#byKey.delete(key);
  }
}
