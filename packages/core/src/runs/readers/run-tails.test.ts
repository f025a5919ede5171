import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { RemoteStorage } from "../../sessions/storage/test/remote-storage.ts";
import { beginReaders, storeRecords, tailsOver, upTo } from "./test/tail-readers.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const down = new TroupeError("storage_unavailable", "The database restarts.");

describe("the readers of runs of other processes", () => {
  it("share one request for each wake, however many runs there are [durable.one-read]", async () => {
    const storage = new RemoteStorage();
    const runIds = Array.from({ length: 300 }, (_, index) => `run-${index}`);
    const { tails, readers } = await beginReaders(storage, runIds);
    for (const number of [1, 2, 3]) {
      for (const runId of runIds) await storeRecords(storage, runId, number);
      storage.hint();
      await vi.advanceTimersByTimeAsync(100);

      expect(readers.every(({ numbers }) => numbers.length === number)).toBe(true);
    }
    expect(storage.requests).toEqual([300, 300, 300]);
    tails.close();
  });

  it("get a record at once when the driver hints at it, and a request comes at most every 20 ms [durable.latency]", async () => {
    const storage = new RemoteStorage();
    const { tails, reader } = await beginReaders(storage, ["r"]);
    await storeRecords(storage, "r", 1);
    storage.hint();
    await vi.advanceTimersByTimeAsync(1);
    expect(reader.numbers).toEqual([1]);

    for (let number = 2; number <= 101; number++) {
      await storeRecords(storage, "r", number);
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
    const { tails } = await beginReaders(storage, ["other"]);
    const feed = tails.join("r");
    expect(await feed.read(0)).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await storeRecords(storage, "r", 1);
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
    const { tails, reader } = await beginReaders(storage, ["r"]);
    const { promise, resolve } = Promise.withResolvers<void>();
    storage.onRequest = async () => await promise;
    const { inner } = storage;
    const listMany = vi.spyOn(inner, "listMany").mockResolvedValueOnce([[]]);
    storage.hint();
    await vi.advanceTimersByTimeAsync(1);
    await storeRecords(storage, "r", 1);
    storage.hint();
    resolve();
    await vi.advanceTimersByTimeAsync(50);

    expect(listMany).toHaveBeenCalledTimes(2);
    expect(reader.numbers).toEqual([1]);
    tails.close();
  });

  it("get a record within a second when no hint tells of it", async () => {
    const storage = new RemoteStorage();
    const { tails, reader } = await beginReaders(storage, ["r"]);
    await storeRecords(storage, "r", 1);
    await vi.advanceTimersByTimeAsync(1000);
    expect(reader.numbers).toEqual([1]);
    tails.close();
  });

  it("ask 20 times a second at first and once a second at last when the driver gives no hints", async () => {
    const storage = new RemoteStorage({ watch: undefined });
    const { tails, reader } = await beginReaders(storage, ["r"]);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(storage.requests.length).toBeLessThan(27);
    expect(storage.requests.length).toBeGreaterThan(18);

    await storeRecords(storage, "r", 1);
    await vi.advanceTimersByTimeAsync(1000);
    await storeRecords(storage, "r", 2);
    await vi.advanceTimersByTimeAsync(500);
    expect(reader.numbers).toEqual([1, 2]);
    tails.close();
  });

  it("do not wait for one another when a run has grown much", async () => {
    const storage = new RemoteStorage();
    const { tails, readers } = await beginReaders(storage, ["long", "short"]);
    await storeRecords(storage, "long", ...upTo(40));
    await storeRecords(storage, "short", 1);
    storage.hint();
    await vi.advanceTimersByTimeAsync(1);
    expect(readers.map(({ numbers }) => numbers)).toEqual([upTo(16), [1]]);

    await vi.advanceTimersByTimeAsync(100);
    expect(readers[0]?.numbers).toEqual(upTo(40));
    expect(storage.requests).toEqual([2, 2, 2]);

    // Also when no hint tells of it.
    await storeRecords(storage, "short", ...upTo(41).slice(1));
    await vi.advanceTimersByTimeAsync(1200);
    expect(readers[1]?.numbers).toEqual(upTo(41));
    tails.close();
  });

  it("leave the database the time that a slow request takes", async () => {
    const storage = new RemoteStorage();
    const { tails } = await beginReaders(storage, ["r"]);
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
    const { tails, readers } = await beginReaders(storage, ["r", "r", "other"]);
    for (const number of [1, 2, 3]) {
      await storeRecords(storage, "r", number);
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

describe("the check of a quiet run of another process", () => {
  it("is made every 20 seconds without a record, however many hints there are", async () => {
    const storage = new RemoteStorage();
    const checkQuiet = vi.fn<() => Promise<void>>(async () => {});
    const { tails, reader } = await beginReaders(storage, ["r"], tailsOver(storage, checkQuiet));
    for (let second = 0; second < 65; second++) {
      if (second === 30) await storeRecords(storage, "r", 1);
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
    const { tails, readers } = await beginReaders(storage, ["removed", "kept"], tailsOver(storage, checkQuiet));
    await vi.advanceTimersByTimeAsync(25_000);

    expect(readers.map(({ failure }) => failure)).toEqual([gone, undefined]);
    tails.close();
  });
});
