import { vi } from "vitest";
import { logKey } from "../../../agents/journal/log-entry.ts";
import { LogWriter } from "../../../agents/journal/log-writer.ts";
import type { RunFeed } from "../run-feed.ts";
import { RunTails } from "../run-tails.ts";
import type { RemoteStorage } from "../../../sessions/storage/test/remote-storage.ts";

/** The tails of a process that performs no run. */
export function tailsOver(
  storage: RemoteStorage,
  checkQuiet: (runId: string) => Promise<void> = async () => {},
): RunTails {
  const writer = new LogWriter(storage.driver);
  return new RunTails({ storage: storage.driver, writer, isPerformedHere: () => false, checkQuiet });
}

/** Stores records of a run, as another process does. */
export async function storeRecords({ inner }: RemoteStorage, runId: string, ...numbers: number[]): Promise<void> {
  const value = { v: 1, entries: [{ t: "chunks", step: "", chunks: [{ type: "text", text: "a" }] }] };
  for (const number of numbers) await inner.set("run-log", logKey(runId, number), value);
}

/** A reader of a run: the numbers of the records that it has, and the failure that has ended it. */
class Reader {
  readonly numbers: number[] = [];
  readonly feed: RunFeed;
  failure: unknown;
  isOver = false;
  #leave = () => {};

  constructor(tails: RunTails, runId: string) {
    this.feed = tails.join(runId);
    void this.#readOn(tails);
  }

  leave(tails: RunTails): void {
    this.isOver = true;
    this.#leave();
    tails.leave(this.feed);
  }

  async #readOn(tails: RunTails): Promise<void> {
    try {
      for (let last = 0; !this.isOver; last = this.numbers.at(-1) ?? 0) {
        const pages = await this.feed.read(last);
        this.numbers.push(...pages.map(({ number }) => number));
        if (pages.length === 0) await tails.wait(this.feed, last, (leave) => (this.#leave = leave));
      }
    } catch (error) {
      this.failure = error;
    }
  }
}

/** Returns the numbers from 1 to a last one. */
export function upTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}

/** Begins a reader for each run, and waits until all have read what there is. */
export async function beginReaders(storage: RemoteStorage, runIds: readonly string[], tails = tailsOver(storage)) {
  const readers = runIds.map((runId) => new Reader(tails, runId));
  await vi.advanceTimersByTimeAsync(200);
  storage.requests.length = 0;
  return { tails, readers, reader: readers[0] as Reader };
}
