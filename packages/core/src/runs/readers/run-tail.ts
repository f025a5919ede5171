import { sleep } from "../../base/async/sleep.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { Backlog, parsePosition, RunFeed } from "./run-feed.ts";
import type { EventPage, Position } from "./run-feed.ts";
import { findRun } from "../record/find-runs.ts";
import { isEnded } from "../record/run-record.ts";
import type { RunRecord, RunStorage } from "../record/run-record.ts";
import type { RunTails } from "./run-tails.ts";
import type { RunStore } from "../record/run-store.ts";
import type { RunCaller, RunEvent } from "../record/run-view.ts";

type TailInit = {
  runId: string;
  after: string | undefined;
  storage: RunStorage;
  tails: RunTails;
  /** Reads the record of the run and checks that it belongs to the caller. */
  open: () => Promise<RunRecord>;
  /** True for a reader that leaves after the last event that is already stored. */
  isBounded?: boolean;
};

/** The parts of a service that readers need. `begun` are the runs that have just begun in this process, by id. */
type ReadParts = {
  readonly store: RunStore;
  readonly tails: RunTails;
  readonly begun?: ReadonlyMap<string, { readonly record: RunRecord }>;
};

/** The part of a run's events to read, for a caller. */
type ReadRange = { caller: RunCaller; after: string | undefined; isBounded?: boolean };

/** Returns the events of a run after a position. Reading rejects with `not_found` if the caller has no such run. */
export function readEvents({ store, tails, begun }: ReadParts, runId: string, range: ReadRange): RunTail {
  const { caller, ...position } = range;
  // The record of a run that has just begun here need not be read again: the run has one attempt, and its owner never
  // changes.
  const open = async () => await findRun({ store, known: begun?.get(runId)?.record }, runId, caller);
  return new RunTail({ runId, ...position, open, storage: store.storage, tails });
}

type NextEvent = IteratorResult<RunEvent, undefined>;

/** Milliseconds before a reader tries an unreachable storage again. */
const outagePauseMs = 500;

const fromStart: Position = { number: 0, index: -1 };

/**
 * One reader of a run's events, from a position to the end of the run. Between two reads it holds only its position.
 */
export class RunTail implements AsyncIterableIterator<RunEvent, undefined> {
  readonly #init: TailInit;
  readonly #seen: Position;
  /**
   * The events in groups, one for each record of the log: a generator step for each event would cost more than the
   * event itself.
   */
  readonly #records = this.#readRecords();
  #events: readonly RunEvent[] = [];
  /** The number of events of the current record that the reader has received. */
  #given = 0;
  /** The number of calls of `next` that wait for the next log record. `#lastCall` is the newest of them. */
  #calls = 0;
  #lastCall: Promise<unknown> = Promise.resolve();
  #hasLeft = false;
  #leave = () => {};

  constructor(init: TailInit) {
    this.#init = init;
    this.#seen = init.after === undefined ? fromStart : parsePosition(init.after);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<NextEvent> {
    const event = this.#calls === 0 ? this.#events[this.#given] : undefined;
    if (event === undefined) return this.#nextInTurn();
    this.#given += 1;
    return Promise.resolve({ done: false, value: event });
  }

  /** Ends the reading of the run's events. The run itself continues. */
  async return(): Promise<NextEvent> {
    this.#hasLeft = true;
    this.#events = [];
    this.#leave();
    await this.#records.return(undefined);
    return { done: true, value: undefined };
  }

  /** Reads the next event for a call of `next`, after all earlier calls. */
  #nextInTurn(): Promise<NextEvent> {
    this.#calls += 1;
    const call = this.#lastCall.then(this.#readOn);
    this.#lastCall = call.catch(() => undefined);
    return call;
  }

  readonly #readOn = async (): Promise<NextEvent> => {
    try {
      for (;;) {
        const event = this.#events[this.#given];
        this.#given += 1;
        if (event !== undefined) return { done: false, value: event };
        const { value: events } = await this.#records.next();
        if (events === undefined || this.#hasLeft) return { done: true, value: undefined };
        this.#events = events;
        this.#given = 0;
      }
    } finally {
      this.#calls -= 1;
    }
  };

  /** Yields the events of each record that the reader must receive. */
  async *#readRecords(): AsyncGenerator<readonly RunEvent[], undefined> {
    const { open, tails, runId, storage } = this.#init;
    const record = await open();
    // A bounded reader reads the storage itself: the records that readers share may be older than the records in the
    // storage.
    const feed = this.#init.isBounded === true ? new RunFeed(runId, storage) : tails.join(runId);
    try {
      // Chunks of an attempt that another attempt replaced are void. The backlog leaves them out; a run with a single
      // attempt has none.
      const backlog = record.attempts > 1 ? await Backlog.read(storage, runId, this.#seen) : undefined;
      for await (const page of this.#readPages(feed, record)) {
        const events = this.#newIn(page);
        yield backlog === undefined ? events : events.filter((event) => backlog.shows(event, page.number));
        // The reading stops at the run's `end` event, even if the reader has already seen that event.
        if (page.events.at(-1)?.type === "end") return undefined;
      }
      return undefined;
    } finally {
      tails.leave(feed);
    }
  }

  /** Reads the records from the reader's position on, until the reader leaves. */
  async *#readPages(feed: RunFeed, record: RunRecord): AsyncGenerator<EventPage, undefined> {
    const seen = this.#seen.number;
    let last = Math.max(seen - 1, 0);
    while (!this.#hasLeft) {
      const pages = await this.#readFeed(feed, last);
      for (const page of pages) {
        if (this.#isCut(page)) throw removed(record);
        yield page;
        last = page.number;
      }
      // The reader may have left while the log was read. Nothing would wake it from the wait below.
      if (pages.length > 0 || this.#hasLeft) continue;
      if (this.#init.isBounded === true) return undefined;
      if (last < seen || isEnded(record.status)) throw removed(record);
      await this.#init.tails.wait(feed, last, (leave) => (this.#leave = leave));
    }
    return undefined;
  }

  /**
   * Reads the next records, and retries while the storage restarts. Returns an empty array if the reader leaves
   * meanwhile.
   */
  async #readFeed(feed: RunFeed, last: number): Promise<readonly EventPage[]> {
    while (!this.#hasLeft) {
      try {
        return await feed.read(last);
      } catch (error) {
        if (!feed.noteFailure(error)) throw error;
        const pause = new AbortController();
        this.#leave = () => pause.abort();
        await sleep(outagePauseMs, pause.signal).catch(() => undefined);
      }
    }
    return [];
  }

  /** Returns true if the log no longer has events of this record that the reader has not seen. */
  #isCut({ number, cutFrom }: EventPage): boolean {
    const { number: seen, index } = this.#seen;
    return cutFrom !== undefined && !(number === seen && index >= cutFrom - 1);
  }

  #newIn({ number, events }: EventPage): readonly RunEvent[] {
    return number === this.#seen.number ? events.slice(this.#seen.index + 1) : events;
  }
}

/** Makes the error for a reader whose position no longer has events, or never had any. */
function removed({ error }: RunRecord): TroupeError {
  if (error?.code === "storage_corrupt") return new TroupeError("storage_corrupt", error.message);
  return new TroupeError(
    "gone",
    "The events of this run from this position on are not kept any more. Ask for the run itself: its result is kept longer.",
  );
}
