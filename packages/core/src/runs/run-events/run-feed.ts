import { readLogPage } from "../../agents/journal/read-log.ts";
import type { NumberedRecord } from "../../agents/journal/read-log.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { isUnavailable } from "../../sessions/storage/storage-failure.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { toEvents } from "./run-events.ts";
import type { EventPage } from "./run-events.ts";

/** The number of newest records that readers of a run share without reading the storage. */
export const keptRecords = 16;
/** The number of records that a reader receives at a time, so that a slow reader holds no more. */
const pageSize = 32;
/** Milliseconds for which readers wait for an unreachable storage, such as a restarting database. */
const outageMs = 30_000;

/**
 * The log of one run, shared by its readers in this process: the newest records, the number of the last record, and the
 * readers that wait for more.
 */
export class RunFeed {
  readonly runId: string;
  readonly #storage: StorageDriver;
  readonly waiters = new Set<() => void>();
  /** Reads in progress, by the number of the record after which they read. */
  readonly #reads = new Map<number, Promise<EventPage[]>>();
  readonly #newest: KeptRecord[] = [];
  readers = 0;
  /** The number of the last known record of the run's log. */
  last = 0;
  failure: Error | undefined;
  /** The monotonic time of the last record, or of the last check of a run without new records. */
  quietSinceMs = performance.now();
  /** The monotonic time at which the last read began that reached the end of the log. */
  endAtMs = -Infinity;
  #failingSinceMs: number | undefined;

  constructor(runId: string, storage: StorageDriver) {
    this.runId = runId;
    this.#storage = storage;
  }

  /**
   * Returns records after a number; an empty array if there are none yet. Readers at the same position share a read.
   */
  async read(after: number): Promise<readonly EventPage[]> {
    if (this.failure !== undefined) throw this.failure;
    const [first] = this.#newest;
    if (first !== undefined && first.number <= after + 1 && this.#newest.at(-1)?.number === this.last) {
      return this.#newest.filter(({ number }) => number > after).map((kept) => kept.events);
    }
    const reading = this.#reads.get(after) ?? this.#startRead(after);
    return await reading;
  }

  /** Adds a record that was stored in the run's log. */
  push(stored: NumberedRecord): void {
    const { number } = stored;
    if (number <= this.last && this.#newest.length > 0) return;
    // The shared records must have no gap, so older records before a gap are dropped.
    if (this.#newest.at(-1)?.number !== number - 1) this.#newest.length = 0;
    this.#newest.push(new KeptRecord(stored));
    if (this.#newest.length > keptRecords) this.#newest.shift();
    this.last = Math.max(this.last, number);
    this.quietSinceMs = performance.now();
    this.wake();
  }

  /** Notes that the storage has answered a read of the log. */
  recover(): void {
    this.#failingSinceMs = undefined;
  }

  /**
   * Notes that the log could not be read. Returns true if the readers should keep waiting, because the storage may be
   * restarting.
   */
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
      // The record was read before its writer announced it, so other readers may still wait for it.
      if (last > this.last) this.wake();
      this.last = Math.max(this.last, last);
      return page;
    } finally {
      this.#reads.delete(after);
    }
  }
}

/** A record that readers share. Its events are created for the first reader. */
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
