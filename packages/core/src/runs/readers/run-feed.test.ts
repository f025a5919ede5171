import { afterEach, describe, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { logRecord } from "../../agents/journal/log-entry.ts";
import type { NumberedRecord } from "../../agents/journal/read-log.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { RemoteStorage } from "../../sessions/storage/test/remote-storage.ts";
import { keptRecords, RunFeed } from "./run-feed.ts";
import { chunks, down, store } from "./test/tails.ts";

afterEach(() => void vi.useRealTimers());

const record = (number: number): NumberedRecord => ({ number, record: logRecord([chunks(1, `s${number}`)]) });

/** A feed over a storage with so many records. */
async function feedOver(records: number) {
  const storage = new RemoteStorage();
  await store(storage, 1, ...Array.from({ length: records }, () => [chunks(1)]));
  const feed = new RunFeed("r", storage.driver);
  const read = async (after: number) => (await feed.read(after)).map(({ number }) => number);
  return { storage, feed, read };
}

describe("reading a feed", () => {
  it("gives a page of records behind a number, in order, and notes the last", async () => {
    const { feed, read } = await feedOver(40);
    const first = await read(0);

    expect([first[0], first.at(-1), first.length, feed.last]).toEqual([1, 32, 32, 32]);
    expect(feed.endAtMs).toBe(-Infinity);
    expect(await read(38)).toEqual([39, 40]);
    expect(feed.last).toBe(40);
    expect(feed.endAtMs).toBeGreaterThan(0);
    expect(await read(40)).toEqual([]);
    expect(await read(3)).toHaveLength(32);
    expect(feed.last).toBe(40);
  });

  it("asks once for all readers at one place, and again for a later one", async () => {
    const { storage, read } = await feedOver(2);

    expect(await Promise.all([read(0), read(0), read(1)])).toEqual([[1, 2], [1, 2], [2]]);
    expect(storage.requests).toHaveLength(2);
    await read(0);
    expect(storage.requests).toHaveLength(3);
  });

  it("asks again after a read that failed", async () => {
    const { storage, read } = await feedOver(1);
    storage.onRequest = () => {
      storage.onRequest = () => {};
      throw down;
    };

    await expect(Promise.all([read(0), read(0)])).rejects.toBe(down);
    expect(await read(0)).toEqual([1]);
  });

  it("wakes those who wait when it finds a record that nobody told of, and only then", async () => {
    const { storage, feed, read } = await feedOver(1);
    const waiter = vi.fn<() => void>();
    await read(0);
    feed.waiters.add(waiter);
    await Promise.all([read(0), read(1)]);
    expect(waiter).not.toHaveBeenCalled();
    await store(storage, 2, [chunks(1)]);
    await read(1);

    expect(waiter).toHaveBeenCalledOnce();
    expect(feed.waiters.size).toBe(0);
  });

  it("throws the failure of the feed", async () => {
    const { storage, feed, read } = await feedOver(1);
    feed.failure = down;

    await expect(read(0)).rejects.toBe(down);
    expect(storage.requests).toEqual([]);
  });
});

describe("the newest records of a feed", () => {
  it("are shared without a read, with the same events for all readers", async () => {
    const { storage, feed, read } = await feedOver(0);
    for (const number of [1, 2, 3]) feed.push(record(number));

    expect([await read(0), await read(1), await read(2), await read(3)]).toEqual([[1, 2, 3], [2, 3], [3], []]);
    expect((await feed.read(2))[0]).toBe((await feed.read(1))[1]);
    expect((await feed.read(2))[0]?.events).toEqual([
      { type: "chunk", step: "s3", chunk: { type: "text" }, id: "3.0" },
    ]);
    expect(storage.requests).toEqual([]);
  });

  it("are sixteen, and older ones are read", async () => {
    const { storage, feed, read } = await feedOver(20);
    for (let number = 1; number <= 20; number++) feed.push(record(number));

    expect(keptRecords).toBe(16);
    expect(await read(4)).toHaveLength(16);
    expect(storage.requests).toEqual([]);
    expect(await read(3)).toHaveLength(17);
    expect(storage.requests).toHaveLength(1);
  });

  it.each<[what: string, pushed: number[], after: number, found: number[], requests: number]>([
    ["once each", [1, 2, 2, 1], 0, [1, 2], 0],
    ["from the last gap on", [1, 2, 5, 6], 4, [5, 6], 0],
    ["not across a gap", [1, 2, 5], 0, [1, 2, 3], 1],
    ["from any first one", [7, 8], 6, [7, 8], 0],
  ])("are kept %s", async (...[, pushed, after, found, requests]) => {
    const { storage, feed, read } = await feedOver(3);
    for (const number of pushed) feed.push(record(number));

    expect(await read(after)).toEqual(found);
    expect(storage.requests).toHaveLength(requests);
    expect(feed.last).toBe(Math.max(...pushed));
  });

  it("are not enough once the storage is known to have more", async () => {
    const { feed, read } = await feedOver(3);
    feed.push(record(1));
    expect(await read(1)).toEqual([]);
    feed.last = 3;

    expect(await read(1)).toEqual([2, 3]);
  });

  it("wake those who wait, each once, and end the quiet", async () => {
    vi.useFakeTimers();
    const feed = new RunFeed("r", new InMemoryStorage());
    const waiters = [vi.fn<() => void>(), vi.fn<() => void>()];
    for (const waiter of waiters) feed.waiters.add(waiter);
    const before = feed.quietSinceMs;
    vi.advanceTimersByTime(50);
    feed.push(record(1));
    feed.push(record(2));
    vi.advanceTimersByTime(50);
    feed.push(record(2));

    expect(waiters.map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
    expect(feed.quietSinceMs - before).toBe(50);
  });
});

describe("a storage that cannot be reached", () => {
  const feedOn = (storage: StorageDriver = new RemoteStorage().driver) => new RunFeed("r", storage);

  it("is waited for, for less than 30 seconds from its first failure", () => {
    vi.useFakeTimers();
    const feed = feedOn();
    expect(feed.noteFailure(down)).toBe(true);
    vi.advanceTimersByTime(29_999);
    expect(feed.noteFailure(down)).toBe(true);
    vi.advanceTimersByTime(1);
    expect(feed.noteFailure(down)).toBe(false);
    feed.recover();
    expect(feed.noteFailure(down)).toBe(true);
  });

  it("has its time anew after each read that succeeds", async () => {
    vi.useFakeTimers();
    const { feed, read } = await feedOver(1);
    feed.noteFailure(down);
    vi.advanceTimersByTime(30_000);
    await read(0);

    expect(feed.noteFailure(down)).toBe(true);
  });

  it.each([
    ["another error", new TroupeError("storage_corrupt", "Damaged.")],
    ["an error of no code", new Error("Damaged.")],
  ])("is not waited for after %s", (_, error) => {
    expect(feedOn().noteFailure(error)).toBe(false);
  });

  it("is not waited for in memory, or once the feed has failed", () => {
    const failed = feedOn();
    failed.failure = down;

    expect(feedOn(new InMemoryStorage()).noteFailure(down)).toBe(false);
    expect(failed.noteFailure(down)).toBe(false);
  });
});
