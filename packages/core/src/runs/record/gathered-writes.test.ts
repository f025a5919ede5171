import { afterEach, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { OneProcessStorage } from "../../sessions/storage/test/one-process-storage.ts";
import { GatheredWrites, writeAll } from "./run-writes.ts";
import type { RunStorage } from "./run-record.ts";

/** A storage in memory of a class of its own, as one that lasts has. */
class Recorder {
  readonly inner = new InMemoryStorage();
  readonly insertAll = vi.fn<InMemoryStorage["insertAll"]>((writes) => this.inner.insertAll(writes));
  readonly transaction = vi.fn<InMemoryStorage["transaction"]>((writes) => this.inner.transaction(writes));
  readonly compareAndSet: RunStorage["compareAndSet"] = (...args) => this.inner.compareAndSet(...args);
  readonly append: StorageDriver["append"] = (...args) => this.inner.append(...args);
  readonly get: StorageDriver["get"] = (...args) => this.inner.get(...args);
  readonly set: StorageDriver["set"] = (...args) => this.inner.set(...args);
  readonly delete: StorageDriver["delete"] = (...args) => this.inner.delete(...args);
  readonly list: StorageDriver["list"] = (...args) => this.inner.list(...args);
}

const record = (key: string, value: unknown = 1) => ({ namespace: "runs", key, value: value as number });

it("GatheredWrites inserts the records of runs that are accepted at the same moment with one call, and tells each if it is new", async () => {
  const storage = new Recorder();
  await storage.set("runs", "b", 0);
  const writes = new GatheredWrites(storage as unknown as RunStorage);

  const areNew = await Promise.all([
    writes.insert([record("a0"), record("a")]),
    writes.insert([record("b")]),
    writes.insert([record("c")]),
  ]);

  expect(areNew).toEqual([true, false, true]);
  expect(storage.insertAll).toHaveBeenCalledTimes(1);
});

it("GatheredWrites refuses the run alone whose records the storage does not take", async () => {
  const storage = new Recorder();
  const writes = new GatheredWrites(storage as unknown as RunStorage);

  const results = await Promise.allSettled([writes.insert([record("a")]), writes.insert([record("b", 1n)])]);

  expect(results).toMatchObject([{ status: "fulfilled", value: true }, { status: "rejected" }]);
  expect(await storage.get("runs", "a")).toBe(1);
});

it("GatheredWrites takes no run for one that was there when its insertion was made and its answer was lost", async () => {
  const storage = new Recorder();
  storage.insertAll.mockImplementationOnce(async (records) => {
    await storage.inner.insertAll(records);
    throw new TroupeError("storage_unavailable", "The connection is gone.");
  });
  const writes = new GatheredWrites(storage as unknown as RunStorage);

  const results = await Promise.allSettled([writes.insert([record("a")]), writes.insert([record("b")])]);

  const lost = { status: "rejected", reason: { code: "storage_unavailable" } };
  expect(results).toMatchObject([lost, lost]);
});

it("GatheredWrites inserts the records of each run on its own where the storage cannot insert those of several at once", async () => {
  const storage = new Recorder();
  const writes = new GatheredWrites(Object.assign(storage, { insertAll: undefined }));

  const results = await Promise.allSettled([writes.insert([record("a")]), writes.insert([record("b", 1n)])]);

  expect(results).toMatchObject([{ status: "fulfilled", value: true }, { status: "rejected" }]);
});

it("GatheredWrites makes the writes that may come late with one transaction, at the latest when it is flushed", async () => {
  const storage = new Recorder();
  const writes = new GatheredWrites(storage as unknown as RunStorage);
  await writes.writeLater([record("a")]);
  await writes.writeLater([record("b")]);
  expect(await storage.get("runs", "a")).toBeNull();

  await writes.flush();

  expect(storage.transaction).toHaveBeenCalledTimes(1);
  expect(await storage.get("runs", "b")).toBe(1);
});

afterEach(() => void vi.useRealTimers());

it("GatheredWrites inserts what comes in one turn with one call, and what comes after it with another", async () => {
  const storage = new Recorder();
  const writes = new GatheredWrites(storage as unknown as RunStorage);
  expect(await writes.insert([record("a0"), record("a")])).toBe(true);
  expect(await Promise.all([writes.insert([record("a"), record("b")]), writes.insert([record("b")])])).toEqual([
    true,
    false,
  ]);
  expect(storage.insertAll.mock.calls).toEqual([
    [[record("a0"), record("a")]],
    [[record("a"), record("b"), record("b")]],
  ]);
});

it("GatheredWrites makes late writes after 50 milliseconds, again and again", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const storage = new Recorder();
  const writes = new GatheredWrites(storage as unknown as RunStorage);
  for (const [key, calls] of [
    ["a", 1],
    ["b", 2],
  ] as const) {
    await writes.writeLater([record(key)]);
    await vi.advanceTimersByTimeAsync(30);
    await writes.writeLater([record(`${key}2`)]);
    await vi.advanceTimersByTimeAsync(19);
    expect(storage.transaction).toHaveBeenCalledTimes(calls - 1);
    await vi.advanceTimersByTimeAsync(1);
    expect(storage.transaction).toHaveBeenLastCalledWith([record(key), record(`${key}2`)]);
  }
  await writes.writeLater([record("c")]);
  await writes.flush();
  await writes.flush();
  expect(vi.getTimerCount()).toBe(0);
  expect(storage.transaction).toHaveBeenCalledTimes(3);
});

it("GatheredWrites goes on after late writes that failed, without these", async () => {
  const storage = new Recorder();
  storage.transaction.mockRejectedValueOnce(new TroupeError("storage_unavailable", "Away."));
  const writes = new GatheredWrites(storage as unknown as RunStorage);
  await writes.writeLater([record("a")]);
  await writes.flush();
  await writes.writeLater([record("b")]);
  await writes.flush();
  expect([await storage.get("runs", "a"), await storage.get("runs", "b")]).toEqual([null, 1]);
});

it("GatheredWrites makes late writes at once in memory", async () => {
  const storage = new InMemoryStorage();
  await new GatheredWrites(storage).writeLater([record("a")]);
  expect(await storage.get("runs", "a")).toBe(1);
});

it("writeAll makes writes one by one, in their order, where the storage has no transaction for several processes", async () => {
  const calls: string[] = [];
  const inner = new InMemoryStorage();
  const set = inner.set.bind(inner);
  inner.set = async (namespace, key, value) => {
    calls.push(`${key} ${JSON.stringify(value)}`);
    await set(namespace, key, value);
  };
  const storage = new OneProcessStorage(inner);
  await storage.get("runs", "a");
  await writeAll(storage, [record("b"), record("a"), record("b", null)]);
  expect(calls).toEqual(["b 1", "a 1", "b null"]);
  expect((await inner.list("runs")).map(({ key }) => key)).toEqual(["a"]);
});
