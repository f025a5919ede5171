import { mapBounded } from "../../base/async/map-bounded.ts";
import { toTroupeError } from "../../base/errors/to-troupe-error.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { runNamespaces } from "../../agents/journal/log-entry.ts";
import type { LogRecord } from "../../agents/journal/log-entry.ts";
import type { LogWriter } from "../../agents/journal/log-writer.ts";
import { readLogPages } from "../../agents/journal/read-log.ts";
import type { NumberedRecord } from "../../agents/journal/read-log.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { isUnavailable } from "../../sessions/storage/storage-failure.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { keptRecords, RunFeed } from "./run-feed.ts";

/**
 * Minimum milliseconds from the start of one poll of the storage to the start of the next, however often the driver
 * hints at changes.
 */
const hintPauseMs = 20;
/**
 * Milliseconds between two polls of the storage while its driver reports no change: at first, and at most. The maximum
 * also applies to a driver that reports changes (`watch`), because it may miss some.
 */
const shortestLookMs = 50;
const longestLookMs = 1000;
/** Milliseconds without a new log record after which a run is checked, because its readers may wait in vain. */
const quietMs = 20_000;

/** A check of a run whose log has not grown for a while. Rejects if its readers wait in vain. */
type CheckQuiet = (runId: string) => Promise<void>;

type TailsInit = {
  storage: StorageDriver;
  writer: LogWriter;
  /** Returns true if this process performs the run, so that its records arrive without a read. */
  isPerformedHere: (runId: string) => boolean;
  checkQuiet: CheckQuiet;
};

/**
 * All readers of runs in this process. Records of runs that this process performs come from its writer. For all other
 * runs the storage is polled with one request at a time, however many runs and readers there are.
 */
export class RunTails {
  readonly #init: TailsInit;
  readonly #feeds = new Map<string, RunFeed>();
  readonly #unlisten: () => void;
  #unwatch: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lookMs = shortestLookMs;
  /** The monotonic time of the next poll. */
  #lookAtMs = Infinity;
  /** The monotonic time before which no other poll begins. */
  #restedAtMs = -Infinity;
  #hintedAtMs = -Infinity;
  #isLooking = false;
  #isChecking = false;
  #isClosed = false;

  constructor(init: TailsInit) {
    this.#init = init;
    this.#unlisten = init.writer.onStored((runId, number, record) => {
      this.#feeds.get(runId)?.push({ number, record });
    });
  }

  /**
   * Returns the feed of a run (its log as this process shares it) for one more reader, which later passes the feed to
   * `leave`.
   */
  join(runId: string): RunFeed {
    if (this.#isClosed) throw closed();
    const feed = this.#feeds.get(runId) ?? new RunFeed(runId, this.#init.storage);
    this.#feeds.set(runId, feed);
    feed.readers += 1;
    return feed;
  }

  /**
   * Collects the log of a run, given its first record, so that readers of the run in this process need not read it from
   * the storage. The caller ends the collection with `leave`.
   */
  follow(runId: string, first: LogRecord): RunFeed {
    const feed = this.join(runId);
    feed.push({ number: 1, record: first });
    return feed;
  }

  leave(feed: RunFeed): void {
    feed.readers -= 1;
    // The readers of this feed may have been ended with an error. The run then has another feed, or no feed.
    if (feed.readers > 0 || this.#feeds.get(feed.runId) !== feed) return;
    this.#feeds.delete(feed.runId);
    if (this.#feeds.size === 0) this.#stopLooking();
  }

  /**
   * Waits until the log of a run has grown beyond a number, or its readers are ended with an error. The wait also ends
   * when the function that `onLeave` receives is called.
   */
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
    // Later readers of the run start with a new feed.
    this.#feeds.delete(runId);
    feed.wake();
  }

  /** Polls soon for the records of a run, if readers wait for it and another process performs it. */
  look(feed: RunFeed | undefined): void {
    if (this.#isClosed || feed === undefined || !this.#isRemote(feed)) return;
    this.#lookMs = shortestLookMs;
    this.#watch();
    // The driver's hint may announce records that were stored after the readers had reached the end of the log.
    if (feed.endAtMs < this.#hintedAtMs) this.#schedule(this.#restedAtMs);
    else this.#schedule(performance.now() + this.#pollMs());
  }

  /** Polls for the records of a run that this process no longer performs. */
  handOver(runId: string): void {
    this.look(this.#feeds.get(runId));
  }

  close(): void {
    this.#isClosed = true;
    this.#unlisten();
    this.#stopLooking();
    for (const runId of this.#feeds.keys()) this.fail(runId, closed());
  }

  /** Returns true if readers of a run wait for records that must be polled. */
  #isRemote(feed: RunFeed): boolean {
    return feed.waiters.size > 0 && this.#isElsewhere(feed);
  }

  /**
   * Returns true if other processes may write the log of a run. In-memory storage is not shared with other processes.
   */
  #isElsewhere({ runId }: RunFeed): boolean {
    const { storage, isPerformedHere } = this.#init;
    return !(storage instanceof InMemoryStorage) && !isPerformedHere(runId);
  }

  /** Begins to listen to the driver's hints that logs have changed, if the driver has `watch`. */
  #watch(): void {
    if (this.#unwatch !== undefined) return;
    this.#unwatch = this.#init.storage.watch?.(runNamespaces.log, this.#onHint);
    // Records may have been written after the readers' last read and before the driver could give its first hint.
    if (this.#unwatch !== undefined) this.#onHint();
  }

  readonly #onHint = (): void => {
    this.#hintedAtMs = performance.now();
    this.#schedule(this.#restedAtMs);
  };

  #pollMs(): number {
    return this.#unwatch === undefined ? this.#lookMs : longestLookMs;
  }

  #schedule(atMs: number): void {
    if (this.#lookAtMs <= atMs) return;
    this.#lookAtMs = atMs;
    // A poll in progress schedules the next poll.
    if (!this.#isLooking) this.#startTimer();
  }

  #startTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#look(), Math.max(0, this.#lookAtMs - performance.now()));
  }

  #stopLooking(): void {
    clearTimeout(this.#timer);
    this.#lookAtMs = Infinity;
    this.#unwatch?.();
    this.#unwatch = undefined;
  }

  /** Polls the storage. Never rejects, because failures are passed to the readers. */
  readonly #look = async (): Promise<void> => {
    const startedAtMs = performance.now();
    this.#lookAtMs = Infinity;
    this.#isLooking = true;
    const feeds = [...this.#feeds.values()].filter((feed) => this.#isRemote(feed));
    const places = feeds.map(({ runId, last }) => ({ runId, after: last }));
    const pages = await readLogPages(this.#init.storage, places, keptRecords);
    const found = feeds.map((feed, index) => this.#take(feed, pages[index], startedAtMs));
    this.#isLooking = false;
    if (this.#isClosed) return;
    const endedAtMs = performance.now();
    // After a slow poll the pause is as long as the poll.
    const tookMs = Math.min(endedAtMs - startedAtMs, longestLookMs);
    this.#restedAtMs = Math.max(startedAtMs + hintPauseMs, endedAtMs + tookMs);
    this.#lookMs = found.some((count) => count > 0) ? shortestLookMs : Math.min(longestLookMs, this.#lookMs * 2);
    if (found.includes(keptRecords)) this.#lookAtMs = this.#restedAtMs;
    this.#goOn(feeds);
  };

  /** Schedules the next poll after a poll. */
  #goOn(feeds: readonly RunFeed[]): void {
    if (feeds.length > 0) this.#lookAtMs = Math.min(this.#lookAtMs, performance.now() + this.#pollMs());
    else if (![...this.#feeds.values()].some((feed) => this.#isElsewhere(feed))) return this.#stopLooking();
    if (this.#lookAtMs === Infinity) return;
    this.#lookAtMs = Math.max(this.#lookAtMs, this.#restedAtMs);
    this.#startTimer();
    void this.#checkQuiet(feeds);
  }

  /** Passes a poll's records to the readers of a run, and returns the number of records. */
  #take(feed: RunFeed, page: PromiseSettledResult<NumberedRecord[]> | undefined, startedAtMs: number): number {
    if (page?.status !== "fulfilled") {
      if (!feed.noteFailure(page?.reason)) this.#end(feed, toTroupeError(page?.reason));
      return 0;
    }
    feed.recover();
    for (const record of page.value) feed.push(record);
    if (page.value.length < keptRecords) feed.endAtMs = startedAtMs;
    return page.value.length;
  }

  /** Checks the runs whose logs have not grown for a long time. Never rejects. */
  async #checkQuiet(feeds: readonly RunFeed[]): Promise<void> {
    if (this.#isChecking) return;
    const now = performance.now();
    const quiet = feeds.filter(({ quietSinceMs }) => now - quietSinceMs >= quietMs);
    this.#isChecking = true;
    await mapBounded(quiet, async (feed) => {
      feed.quietSinceMs = now;
      await this.#init.checkQuiet(feed.runId).catch((error: unknown) => {
        // An unreachable storage ends no reader here: the polls decide when an outage has lasted too long.
        if (!isUnavailable(error)) this.#end(feed, toTroupeError(error));
      });
    });
    this.#isChecking = false;
  }

  /** Ends the readers of a run's feed with an error. */
  #end(feed: RunFeed, error: Error): void {
    if (this.#feeds.get(feed.runId) === feed) this.fail(feed.runId, error);
  }
}

function closed(): TroupeError {
  return new TroupeError("unavailable", "The service of this run was closed. Ask for the run by its id again.");
}
