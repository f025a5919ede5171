import { expect, it, vi } from "vitest";
import { TroupeError } from "../errors/troupe-error.ts";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { GatheredWrites } from "./gathered-writes.ts";
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
