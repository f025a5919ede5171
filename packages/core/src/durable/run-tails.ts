import { toTroupeError } from "../errors/to-troupe-error.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import { runNamespaces } from "../journal/log-entry.ts";
import type { LogRecord } from "../journal/log-entry.ts";
import type { LogWriter } from "../journal/log-writer.ts";
import { readLogPage } from "../journal/read-log.ts";
import type { NumberedRecord } from "../journal/read-log.ts";
import { mapBounded } from "../async/map-bounded.ts";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { toEvents } from "./run-events.ts";
import type { EventPage } from "./run-events.ts";

/** The number of newest records that readers of a run share without reading. */
const keptRecords = 16;
/** The number of records that a reader gets at a time: a slow one holds no more. */
const pageSize = 32;
/** Milliseconds between two looks: at first, at most, and beside a hint of the driver. */
const shortestLookMs = 50;
const longestLookMs = 1000;

/** A check of a run about which the log has said nothing for a while: rejects when its readers wait in vain. */
type CheckQuiet = (runId: string) => Promise<void>;

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
  /** Looks since the log last grew. */
  quietLooks = 0;

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
    this.quietLooks = 0;
    this.wake();
  }

  wake(): void {
    for (const waiter of this.waiters) waiter();
    this.waiters.clear();
  }

  async #startRead(after: number): Promise<EventPage[]> {
    const reading = readLogPage(this.#storage, this.runId, { after, limit: pageSize }).then((page) =>
      page.map(toEvents),
    );
    this.#reads.set(after, reading);
    try {
      const page = await reading;
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

type TailsInit = {
  storage: StorageDriver;
  writer: LogWriter;
  /** Tells if this process performs the run: then its records come without a read. */
  isPerformedHere: (runId: string) => boolean;
  checkQuiet: CheckQuiet;
};

/**
 * All readers of runs in this process. The records of runs that this process performs come from its writer; for others
 * there is one look in the storage per run and wake, however many read it.
 */
export class RunTails {
  readonly #init: TailsInit;
  readonly #feeds = new Map<string, RunFeed>();
  readonly #unlisten: () => void;
  #unwatch: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lookMs = shortestLookMs;
  /** The time of the next look, by the monotonic clock. */
  #lookAtMs = Infinity;
  #isLooking = false;
  #isClosed = false;

  constructor(init: TailsInit) {
    this.#init = init;
    this.#unlisten = init.writer.onStored((runId, number, record) => {
      this.#feeds.get(runId)?.push({ number, record });
    });
  }

  /** Returns the feed of a run for one more reader, who gives it back to `leave`. */
  join(runId: string): RunFeed {
    if (this.#isClosed) throw closed();
    const feed = this.#feeds.get(runId) ?? new RunFeed(runId, this.#init.storage);
    this.#feeds.set(runId, feed);
    feed.readers += 1;
    return feed;
  }

  /** Keeps the log of a run from its first record on for its readers, who need not read it then. Until `leave`. */
  follow(runId: string, first: LogRecord): RunFeed {
    const feed = this.join(runId);
    feed.push({ number: 1, record: first });
    return feed;
  }

  leave(feed: RunFeed): void {
    feed.readers -= 1;
    // After a failure there may be another feed of the run.
    if (feed.readers > 0 || this.#feeds.get(feed.runId) !== feed) return;
    this.#feeds.delete(feed.runId);
    if (this.#feeds.size === 0) this.#rest();
  }

  /** Waits until the log of a run has grown behind a number, or `leave`, which is returned to `onLeave`, is called. */
  wait(feed: RunFeed, after: number, onLeave: (leave: () => void) => void): Promise<void> {
    if (feed.last > after || feed.failure !== undefined) return Promise.resolve();
    const waiting = new Promise<void>((resolve) => {
      feed.waiters.add(resolve);
      onLeave(() => {
        feed.waiters.delete(resolve);
        resolve();
      });
    });
    this.look(feed);
    return waiting;
  }

  /** Ends the readers of a run with an error. */
  fail(runId: string, error: Error): void {
    const feed = this.#feeds.get(runId);
    if (feed === undefined) return;
    feed.failure = error;
    // Readers that come later begin anew.
    this.#feeds.delete(runId);
    feed.wake();
  }

  /** Looks soon for the records of a run, if readers wait for it and another process performs it. */
  look(feed: RunFeed | undefined): void {
    if (this.#isClosed || feed === undefined || !this.#isRemote(feed)) return;
    this.#lookMs = shortestLookMs;
    this.#unwatch ??= this.#init.storage.watch?.(runNamespaces.log, () => this.#schedule(shortestLookMs));
    this.#schedule(this.#unwatch === undefined ? this.#lookMs : longestLookMs);
  }

  /** Looks for the records of a run that this process does not perform any more. */
  handOver(runId: string): void {
    this.look(this.#feeds.get(runId));
  }

  close(): void {
    this.#isClosed = true;
    this.#unlisten();
    this.#rest();
    for (const runId of this.#feeds.keys()) this.fail(runId, closed());
  }

  /** Tells if readers of a run wait for records that do not come by themselves. */
  #isRemote({ runId, waiters }: RunFeed): boolean {
    const { storage, isPerformedHere } = this.#init;
    // Other processes have no part in the memory of this one.
    return waiters.size > 0 && !(storage instanceof InMemoryStorage) && !isPerformedHere(runId);
  }

  #schedule(ms: number): void {
    const at = performance.now() + ms;
    if (this.#isLooking || this.#lookAtMs <= at) return;
    clearTimeout(this.#timer);
    this.#lookAtMs = at;
    this.#timer = setTimeout(() => void this.#look(), ms);
  }

  #rest(): void {
    clearTimeout(this.#timer);
    this.#lookAtMs = Infinity;
    this.#unwatch?.();
    this.#unwatch = undefined;
  }

  readonly #look = async (): Promise<void> => {
    this.#lookAtMs = Infinity;
    this.#isLooking = true;
    const feeds = [...this.#feeds.values()].filter((feed) => this.#isRemote(feed));
    const grew = await mapBounded(feeds, (feed) => this.#lookAt(feed));
    this.#isLooking = false;
    this.#lookMs = grew.includes(true) ? shortestLookMs : Math.min(longestLookMs, this.#lookMs * 2);
    if (this.#isClosed || feeds.length === 0) this.#rest();
    else this.#schedule(this.#unwatch === undefined ? this.#lookMs : longestLookMs);
  };

  /** Never rejects: a failure is for the readers. */
  async #lookAt(feed: RunFeed): Promise<boolean> {
    try {
      const page = await readLogPage(this.#init.storage, feed.runId, { after: feed.last, limit: pageSize });
      for (const record of page) feed.push(record);
      if (page.length === 0 && ++feed.quietLooks % 20 === 0) await this.#init.checkQuiet(feed.runId);
      return page.length > 0;
    } catch (error) {
      this.fail(feed.runId, toTroupeError(error));
      return false;
    }
  }
}

function closed(): TroupeError {
  return new TroupeError("unavailable", "The service of this run was closed. Ask for the run by its id again.");
}
