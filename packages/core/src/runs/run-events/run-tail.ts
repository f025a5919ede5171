import { sleep } from "../../base/async/sleep.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { Backlog, parsePosition } from "./run-events.ts";
import type { EventPage, Position } from "./run-events.ts";
import { isEnded } from "../run-store/run-record.ts";
import type { RunRecord } from "../run-store/run-record.ts";
import type { RunStorage } from "../run-store/run-record.ts";
import { RunFeed } from "./run-feed.ts";
import type { RunTails } from "./run-tails.ts";
import type { RunEvent } from "../run-store/run-view.ts";

type TailInit = {
  runId: string;
  after: string | undefined;
  storage: RunStorage;
  tails: RunTails;
  /** Reads the record of the run, and checks that it is the caller's. */
  open: () => Promise<RunRecord>;
  /** True for a reader that leaves behind the last event that is stored by now. */
  isBounded?: boolean;
};

type Step = IteratorResult<RunEvent, undefined>;

/** Milliseconds until a reader asks a storage again that cannot be reached. */
const outagePauseMs = 500;

const fromStart: Position = { number: 0, index: -1 };

/** One reader of a run's events, from behind a position to the end of the run. Between two reads it holds its position alone. */
export class RunTail implements AsyncIterableIterator<RunEvent, undefined> {
  readonly #init: TailInit;
  readonly #seen: Position;
  /** The events record by record: a step of a generator for each of them would cost more than the event itself. */
  readonly #records = this.#readRecords();
  #events: readonly RunEvent[] = [];
  /** The number of events of the record that the reader has got. */
  #given = 0;
  /** The calls that wait for the next record, and the last of them. */
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

  next(): Promise<Step> {
    const event = this.#calls === 0 ? this.#events[this.#given] : undefined;
    if (event === undefined) return this.#nextInTurn();
    this.#given += 1;
    return Promise.resolve({ done: false, value: event });
  }

  /** Leaves the run, which goes on. */
  async return(): Promise<Step> {
    this.#hasLeft = true;
    this.#events = [];
    this.#leave();
    await this.#records.return(undefined);
    return { done: true, value: undefined };
  }

  /** Reads on for a call, after those that came before it. */
  #nextInTurn(): Promise<Step> {
    this.#calls += 1;
    const call = this.#lastCall.then(this.#readOn);
    this.#lastCall = call.catch(() => undefined);
    return call;
  }

  readonly #readOn = async (): Promise<Step> => {
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

  /** Yields the events of each record that the reader is to get. */
  async *#readRecords(): AsyncGenerator<readonly RunEvent[], undefined> {
    const { open, tails, runId, storage } = this.#init;
    const record = await open();
    // The records that readers share may be older than those of another process.
    const feed = this.#init.isBounded === true ? new RunFeed(runId, storage) : tails.join(runId);
    try {
      // Most runs have one attempt, and nothing in them is void.
      const backlog = record.attempts > 1 ? await Backlog.read(storage, runId, this.#seen) : undefined;
      for await (const page of this.#readPages(feed, record)) {
        const events = this.#newIn(page);
        yield backlog === undefined ? events : events.filter((event) => backlog.shows(event, page.number));
        // Also for a reader that has seen the end.
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
      // It may have left while it read, and nothing would wake it.
      if (pages.length > 0 || this.#hasLeft) continue;
      if (this.#init.isBounded === true) return undefined;
      if (last < seen || isEnded(record.status)) throw removed(record);
      await this.#init.tails.wait(feed, last, (leave) => (this.#leave = leave));
    }
    return undefined;
  }

  /** Reads the next records, however often the storage fails in a restart; none for a reader that leaves meanwhile. */
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

  /** Tells if events of a record are not kept any more that the reader has not seen. */
  #isCut({ number, cutFrom }: EventPage): boolean {
    const { number: seen, index } = this.#seen;
    return cutFrom !== undefined && !(number === seen && index >= cutFrom - 1);
  }

  #newIn({ number, events }: EventPage): readonly RunEvent[] {
    return number === this.#seen.number ? events.slice(this.#seen.index + 1) : events;
  }
}

/** Makes the error for a reader whose position has no events any more, or never had. */
function removed({ error }: RunRecord): TroupeError {
  if (error?.code === "storage_corrupt") return new TroupeError("storage_corrupt", error.message);
  return new TroupeError(
    "gone",
    "The events of this run from this position on are not kept any more. Ask for the run itself: its result is kept longer.",
  );
}
