import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { logKey } from "../../agents/journal/log-entry.ts";
import { LogWriter } from "../../agents/journal/log-writer.ts";
import type { RunFeed } from "./run-feed.ts";
import type { RunRecord, RunStorage } from "../record/run-record.ts";
import { RunTail } from "./run-tail.ts";
import { RunTails } from "./run-tails.ts";
import { RemoteStorage } from "../../sessions/storage/test/remote-storage.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const down = new TroupeError("storage_unavailable", "The database restarts.");

/** The tails of a process that performs no run. */
function tailsOver(storage: RemoteStorage, checkQuiet: (runId: string) => Promise<void> = async () => {}): RunTails {
  const writer = new LogWriter(storage.driver);
  return new RunTails({ storage: storage.driver, writer, isPerformedHere: () => false, checkQuiet });
}

/** Stores records of a run, as another process does. */
async function store({ inner }: RemoteStorage, runId: string, ...numbers: number[]): Promise<void> {
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

/** One reader of the events of a run. */
function tailOf(storage: RemoteStorage, runId: string) {
  const tails = tailsOver(storage);
  const open = async () => ({ status: "running", attempts: 1 }) as RunRecord;
  const reader = new RunTail({ runId, after: undefined, storage: storage.driver as RunStorage, tails, open });
  return { reader, tails };
}

/** Returns the numbers from 1 to a last one. */
function upTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}

/** Begins a reader for each run, and waits until all have read what there is. */
async function begin(storage: RemoteStorage, runIds: readonly string[], tails = tailsOver(storage)) {
  const readers = runIds.map((runId) => new Reader(tails, runId));
  await vi.advanceTimersByTimeAsync(200);
  storage.requests.length = 0;
  return { tails, readers, reader: readers[0] as Reader };
}

describe("the readers of runs of other processes", () => {
  it("share one request for each wake, however many runs there are [durable.one-read]", async () => {
    const storage = new RemoteStorage();
    const runIds = Array.from({ length: 300 }, (_, index) => `run-${index}`);
    const { tails, readers } = await begin(storage, runIds);
    for (const number of [1, 2, 3]) {
      for (const runId of runIds) await store(storage, runId, number);
      storage.hint();
      await vi.advanceTimersByTimeAsync(100);

      expect(readers.every(({ numbers }) => numbers.length === number)).toBe(true);
    }
    expect(storage.requests).toEqual([300, 300, 300]);
    tails.close();
  });

  it("get a record at once when the driver hints at it, and a request comes at most every 20 ms [durable.latency]", async () => {
    const storage = new RemoteStorage();
    const { tails, reader } = await begin(storage, ["r"]);
    await store(storage, "r", 1);
    storage.hint();
    await vi.advanceTimersByTimeAsync(1);
    expect(reader.numbers).toEqual([1]);

    for (let number = 2; number <= 101; number++) {
      await store(storage, "r", number);
      storage.hint();
      await vi.advanceTimersByTimeAsync(1);
    }
    await vi.advanceTimersByTimeAsync(50);
    expect(reader.numbers).toEqual(upTo(101));
    expect(storage.requests.length).toBeLessThanOrEqual(9);
    tails.close();
  });

  it("miss no hint that comes between their read and their wait", async () => {
    const storage = new RemoteStorage();
    const { tails } = await begin(storage, ["other"]);
    const feed = tails.join("r");
    expect(await feed.read(0)).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await store(storage, "r", 1);
    storage.hint();
    await vi.advanceTimersByTimeAsync(50);
    let isWoken = false;
    void tails.wait(feed, 0, () => {}).then(() => (isWoken = true));
    await vi.advanceTimersByTimeAsync(50);

    expect(isWoken).toBe(true);
    tails.close();
  });

  it("miss no hint that comes during a request", async () => {
    const storage = new RemoteStorage();
    const { tails, reader } = await begin(storage, ["r"]);
    const { promise, resolve } = Promise.withResolvers<void>();
    storage.onRequest = async () => await promise;
    const { inner } = storage;
    const listMany = vi.spyOn(inner, "listMany").mockResolvedValueOnce([[]]);
    storage.hint();
    await vi.advanceTimersByTimeAsync(1);
    await store(storage, "r", 1);
    storage.hint();
    resolve();
    await vi.advanceTimersByTimeAsync(50);

    expect(listMany).toHaveBeenCalledTimes(2);
    expect(reader.numbers).toEqual([1]);
    tails.close();
  });

  it("get a record within a second when no hint tells of it", async () => {
    const storage = new RemoteStorage();
    const { tails, reader } = await begin(storage, ["r"]);
    await store(storage, "r", 1);
    await vi.advanceTimersByTimeAsync(1000);

    expect(reader.numbers).toEqual([1]);
    tails.close();
  });

  it("ask 20 times a second at first and once a second at last when the driver gives no hints", async () => {
    const storage = new RemoteStorage({ watch: undefined });
    const { tails, reader } = await begin(storage, ["r"]);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(storage.requests.length).toBeLessThan(27);
    expect(storage.requests.length).toBeGreaterThan(18);

    await store(storage, "r", 1);
    await vi.advanceTimersByTimeAsync(1000);
    await store(storage, "r", 2);
    await vi.advanceTimersByTimeAsync(500);
    expect(reader.numbers).toEqual([1, 2]);
    tails.close();
  });

  it("do not wait for one another when a run has grown much", async () => {
    const storage = new RemoteStorage();
    const { tails, readers } = await begin(storage, ["long", "short"]);
    await store(storage, "long", ...upTo(40));
    await store(storage, "short", 1);
    storage.hint();
    await vi.advanceTimersByTimeAsync(1);
    expect(readers.map(({ numbers }) => numbers)).toEqual([upTo(16), [1]]);

    await vi.advanceTimersByTimeAsync(100);
    expect(readers[0]?.numbers).toEqual(upTo(40));
    expect(storage.requests).toEqual([2, 2, 2]);

    // Also when no hint tells of it.
    await store(storage, "short", ...upTo(41).slice(1));
    await vi.advanceTimersByTimeAsync(1200);
    expect(readers[1]?.numbers).toEqual(upTo(41));
    tails.close();
  });

  it("leave the database the time that a slow request takes", async () => {
    const storage = new RemoteStorage();
    const { tails } = await begin(storage, ["r"]);
    storage.onRequest = async () => await new Promise((resolve) => setTimeout(resolve, 200));
    for (let hint = 0; hint < 200; hint++) {
      storage.hint();
      await vi.advanceTimersByTimeAsync(10);
    }

    expect(storage.requests.length).toBeGreaterThanOrEqual(4);
    expect(storage.requests.length).toBeLessThanOrEqual(6);
    tails.close();
  });

  it("keep the storage watched between two records, and until the last of them leaves", async () => {
    const storage = new RemoteStorage();
    const { tails, readers } = await begin(storage, ["r", "r", "other"]);
    for (const number of [1, 2, 3]) {
      await store(storage, "r", number);
      storage.hint();
      await vi.advanceTimersByTimeAsync(1500);
    }
    expect(storage.watches).toBe(1);

    for (const reader of readers) {
      expect(storage.isWatched).toBe(true);
      reader.leave(tails);
    }
    expect(storage.isWatched).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
    tails.close();
  });
});

describe("the readers of runs of other processes, when the storage fails", () => {
  it("go on when it is back within 30 seconds [durable.outage]", async () => {
    const storage = new RemoteStorage();
    const { tails, reader } = await begin(storage, ["r"]);
    storage.onRequest = () => Promise.reject(down);
    await store(storage, "r", 1);
    storage.hint();
    await vi.advanceTimersByTimeAsync(29_000);
    expect([reader.failure, reader.numbers]).toEqual([undefined, []]);
    storage.onRequest = () => {};
    await vi.advanceTimersByTimeAsync(1000);
    expect(reader.numbers).toEqual([1]);

    // Each outage has its own time.
    storage.onRequest = () => Promise.reject(down);
    await vi.advanceTimersByTimeAsync(29_000);
    expect(reader.failure).toBe(undefined);
    tails.close();
  });

  it("end with its error after 30 seconds [durable.outage]", async () => {
    const storage = new RemoteStorage();
    const { tails, readers } = await begin(storage, ["r", "other"]);
    storage.onRequest = () => Promise.reject(down);
    await vi.advanceTimersByTimeAsync(32_000);

    expect(readers.map(({ failure }) => failure)).toEqual([down, down]);
    tails.close();
  });

  it("go on also while they read what was stored before [durable.outage]", async () => {
    const storage = new RemoteStorage();
    await store(storage, "r", ...upTo(40));
    const { reader, tails } = tailOf(storage, "r");
    const ids = [(await reader.next()).value?.id];
    storage.onRequest = () => Promise.reject(down);
    const reading = (async () => {
      while (ids.length < 40) ids.push((await reader.next()).value?.id);
    })();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(ids.length).toBe(32);
    storage.onRequest = () => {};
    await vi.advanceTimersByTimeAsync(1000);
    await reading;

    expect(ids).toEqual(upTo(40).map((number) => `${number}.0`));
    tails.close();
  });

  it("leave without waiting for it", async () => {
    const storage = new RemoteStorage();
    const { reader, tails } = tailOf(storage, "r");
    storage.onRequest = () => Promise.reject(down);
    const next = reader.next();
    await vi.advanceTimersByTimeAsync(700);
    await reader.return();

    expect(await next).toEqual({ done: true, value: undefined });
    tails.close();
  });

  it("end at once when their own log is damaged, and no others do", async () => {
    const storage = new RemoteStorage();
    const { tails, readers } = await begin(storage, ["damaged", "whole"]);
    const corrupt = new TroupeError("storage_corrupt", "A stored record cannot be read.");
    vi.spyOn(storage.inner, "listMany").mockRejectedValueOnce(corrupt);
    await store(storage, "whole", 1);
    await storage.inner.set("run-log", logKey("damaged", 1), { damaged: true });
    storage.hint();
    await vi.advanceTimersByTimeAsync(50);
    expect(readers.map(({ failure }) => failure)).toEqual([
      expect.objectContaining({ code: "storage_corrupt" }),
      undefined,
    ]);

    await store(storage, "whole", 2);
    storage.hint();
    await vi.advanceTimersByTimeAsync(50);
    expect(readers[1]?.numbers).toEqual([1, 2]);
    tails.close();
  });
});

describe("the check of a quiet run of another process", () => {
  it("is made every 20 seconds without a record, however many hints there are", async () => {
    const storage = new RemoteStorage();
    const checkQuiet = vi.fn<() => Promise<void>>(async () => {});
    const { tails, reader } = await begin(storage, ["r"], tailsOver(storage, checkQuiet));
    for (let second = 0; second < 65; second++) {
      if (second === 30) await store(storage, "r", 1);
      storage.hint();
      await vi.advanceTimersByTimeAsync(1000);
    }

    // After 20 seconds, and 20 seconds after the record.
    expect(checkQuiet).toHaveBeenCalledTimes(2);
    expect(reader.failure).toBe(undefined);
    tails.close();
  });

  it("ends the readers of a run that was removed, but not for a storage that fails", async () => {
    const storage = new RemoteStorage();
    const gone = new TroupeError("gone", "The run was removed.");
    const checkQuiet = async (runId: string) => await Promise.reject(runId === "removed" ? gone : down);
    const { tails, readers } = await begin(storage, ["removed", "kept"], tailsOver(storage, checkQuiet));
    await vi.advanceTimersByTimeAsync(25_000);

    expect(readers.map(({ failure }) => failure)).toEqual([gone, undefined]);
    tails.close();
  });
});
