import { readLogPage } from "../../agents/journal/read-log.ts";
import type { NumberedRecord } from "../../agents/journal/read-log.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { isUnavailable } from "../../sessions/storage/storage-failure.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { toEvents } from "./run-events.ts";
import type { EventPage } from "./run-events.ts";

/** The number of newest records that readers of a run share without reading. */
export const keptRecords = 16;
/** The number of records that a reader gets at a time: a slow one holds no more. */
const pageSize = 32;
/** Milliseconds for which readers wait for a storage that cannot be reached, such as a database that restarts. */
const outageMs = 30_000;

/**
 * The log of one run as its readers in this process share it: the newest records, the number of the last one, and those who
 * wait for the next.
 */
export class RunFeed {
  readonly runId: string;
  readonly #storage: StorageDriver;
  readonly waiters = new Set<() => void>();
  /** Reads under way, by the number behind which they read. */
  readonly #reads = new Map<number, Promise<EventPage[]>>();
  readonly #newest: KeptRecord[] = [];
  readers = 0;
  /** The number of the last record that is known of. */
  last = 0;
  failure: Error | undefined;
  /** The time of the last record, or of the last check of a run without one, by the monotonic clock. */
  quietSinceMs = performance.now();
  /** The time at which the last read began that has reached the end of the log, by the monotonic clock. */
  endAtMs = -Infinity;
  #failingSinceMs: number | undefined;

  constructor(runId: string, storage: StorageDriver) {
    this.runId = runId;
    this.#storage = storage;
  }

  /** Returns records behind a number; none when there are none yet. Readers at one place share a read. */
  async read(after: number): Promise<readonly EventPage[]> {
    if (this.failure !== undefined) throw this.failure;
    const [first] = this.#newest;
    if (first !== undefined && first.number <= after + 1 && this.#newest.at(-1)?.number === this.last) {
      return this.#newest.filter(({ number }) => number > after).map((kept) => kept.events);
    }
    const reading = this.#reads.get(after) ?? this.#startRead(after);
    return await reading;
  }

  /** Takes a record that was stored. */
  push(stored: NumberedRecord): void {
    const { number } = stored;
    if (number <= this.last && this.#newest.length > 0) return;
    // Behind a gap the older ones are of no use.
    if (this.#newest.at(-1)?.number !== number - 1) this.#newest.length = 0;
    this.#newest.push(new KeptRecord(stored));
    if (this.#newest.length > keptRecords) this.#newest.shift();
    this.last = Math.max(this.last, number);
    this.quietSinceMs = performance.now();
    this.wake();
  }

  /** Notes that the storage has answered. */
  recover(): void {
    this.#failingSinceMs = undefined;
  }

  /** Notes that the log could not be read, and tells if the readers are to wait until it can: a restart ends soon. */
  noteFailure(error: unknown): boolean {
    if (this.failure !== undefined || this.#storage instanceof InMemoryStorage || !isUnavailable(error)) return false;
    this.#failingSinceMs ??= performance.now();
    return performance.now() - this.#failingSinceMs < outageMs;
  }

  wake(): void {
    for (const waiter of this.waiters) waiter();
    this.waiters.clear();
  }

  async #startRead(after: number): Promise<EventPage[]> {
    const startedAtMs = performance.now();
    const reading = readLogPage(this.#storage, this.runId, { after, limit: pageSize }).then((page) =>
      page.map(toEvents),
    );
    this.#reads.set(after, reading);
    try {
      const page = await reading;
      this.recover();
      if (page.length < pageSize) this.endAtMs = startedAtMs;
      const last = page.at(-1)?.number ?? after;
      // A record that was read before its writer told of it: others may wait for it.
      if (last > this.last) this.wake();
      this.last = Math.max(this.last, last);
      return page;
    } finally {
      this.#reads.delete(after);
    }
  }
}

/** A record that readers share. Its events are made for the first of them. */
class KeptRecord {
  readonly number: number;
  #stored: NumberedRecord | undefined;
  #events: EventPage | undefined;

  constructor(stored: NumberedRecord) {
    this.number = stored.number;
    this.#stored = stored;
  }

  get events(): EventPage {
    if (this.#stored !== undefined) this.#events = toEvents(this.#stored);
    this.#stored = undefined;
    return this.#events as EventPage;
  }
}
