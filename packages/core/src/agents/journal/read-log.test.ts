import { describe, expect, it } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { MapStorage } from "../../sessions/storage/test/map-storage.ts";
import { RemoteStorage } from "../../sessions/storage/test/remote-storage.ts";
import { logKey } from "./log-entry.ts";
import { readLastRecord, readLog, readLogPage, readLogPages } from "./read-log.ts";

/** Stores the records of these numbers in the log of a run. */
async function seed(storage: StorageDriver, numbers: readonly number[], runId = "r1"): Promise<void> {
  for (const number of numbers) {
    await storage.set("run-log", logKey(runId, number), { v: 1, entries: [{ t: "left", why: runId, number }] });
  }
}

const from1 = (count: number, first = 1) => Array.from({ length: count }, (_, index) => first + index);
const record = (number: number, runId = "r1") => ({
  number,
  record: { v: 1, entries: [{ t: "left", why: runId, number }] },
});
const damaged = (number: number) => ({
  code: "storage_corrupt",
  fields: { namespace: "run-log", key: logKey("r1", number) },
});

const drivers: [string, () => StorageDriver][] = [
  ["list options", () => new InMemoryStorage()],
  ["none", () => new MapStorage()],
];

describe.each(drivers)("a log in a storage with %s", (_name, create) => {
  it.each([0, 1, 255, 256, 257, 512])("a log of %i records is read in pages, oldest first", async (count) => {
    const storage = create();
    await seed(storage, from1(count));
    await seed(storage, [1, 2], "r10");
    const pages = await Array.fromAsync(readLog(storage, "r1"));
    expect(pages.flat()).toEqual(from1(count).map((number) => record(number)));
    expect(pages).toHaveLength(Math.ceil(count / 256));
  });

  it("is read behind a number, up to a limit", async () => {
    const storage = create();
    await seed(storage, from1(5));
    expect((await Array.fromAsync(readLog(storage, "r1", 3))).flat()).toEqual([record(4), record(5)]);
    expect(await Array.fromAsync(readLog(storage, "r1", 5))).toEqual([]);
    expect(await readLogPage(storage, "r1", { after: 1, limit: 2 })).toEqual([record(2), record(3)]);
    expect(await readLogPage(storage, "r1", { after: 4 })).toEqual([record(5)]);
  });

  it("is read with those of other runs, each with an outcome of its own", async () => {
    const storage = create();
    await seed(storage, from1(4));
    await seed(storage, [1, 3], "r2");
    await seed(storage, [1], "r3");
    const places = [
      { runId: "r3", after: 0 },
      { runId: "r2", after: 1 },
      { runId: "none", after: 0 },
      { runId: "r1", after: 1 },
    ];
    expect(await readLogPages(storage, places, 2)).toEqual([
      { status: "fulfilled", value: [record(1, "r3")] },
      { status: "rejected", reason: expect.objectContaining({ code: "storage_corrupt" }) },
      { status: "fulfilled", value: [] },
      { status: "fulfilled", value: [record(2), record(3)] },
    ]);
    expect(await readLogPages(storage, [], 2)).toEqual([]);
  });

  it.each<[what: string, numbers: number[], missing: number]>([
    ["without its first record", [2, 3], 1],
    ["with a gap", [1, 2, 4], 3],
  ])("is damaged %s", async (_what, numbers, missing) => {
    const storage = create();
    await seed(storage, numbers);
    await expect(Array.fromAsync(readLog(storage, "r1"))).rejects.toMatchObject(damaged(missing));
  });

  it("is damaged by a record that is none, at its place", async () => {
    const storage = create();
    await seed(storage, [1, 2, 3]);
    await storage.set("run-log", logKey("r1", 2), { v: 1, entries: [{ t: "?" }] });
    await expect(readLogPage(storage, "r1", { after: 0 })).rejects.toMatchObject(damaged(2));
    expect(await readLogPage(storage, "r1", { after: 2 })).toEqual([record(3)]);
  });

  it("has its last record, unless there is none or that is damaged", async () => {
    const storage = create();
    expect(await readLastRecord(storage, "r1")).toBeUndefined();
    await seed(storage, from1(11));
    await seed(storage, [20], "r10");
    expect(await readLastRecord(storage, "r1")).toEqual(record(11));
    await storage.set("run-log", logKey("r1", 12), { v: 1 });
    expect(await readLastRecord(storage, "r1")).toBeUndefined();
  });
});

it("readLastRecord reads the last of all that a storage lists, in whatever order", async () => {
  const inner = new InMemoryStorage();
  await seed(inner, from1(3));
  const all = await inner.list("run-log");
  for (const listed of [all, all.toReversed()]) {
    const storage = Object.assign(new InMemoryStorage(), { list: async () => listed });
    expect(await readLastRecord(storage, "r1")).toEqual(record(3));
  }
});

it("readLogPages tells the failure of the storage for each place", async () => {
  const reason = new TroupeError("storage_unavailable", "It is away.");
  const storage = Object.assign(new InMemoryStorage(), { listMany: () => Promise.reject(reason) });
  const places = from1(2).map((after) => ({ runId: "r1", after }));
  expect(await readLogPages(storage, places, 1)).toEqual(places.map(() => ({ status: "rejected", reason })));
});

it("readLog has the records that come while it is read", async () => {
  const storage = new InMemoryStorage();
  await seed(storage, from1(256));
  const numbers: number[] = [];
  for await (const page of readLog(storage, "r1")) {
    if (numbers.length === 0) await seed(storage, [257]);
    numbers.push(...page.map(({ number }) => number));
  }
  expect(numbers).toEqual(from1(257));
});

it("readLastRecord asks for the last record alone, and readLogPages for no more than the limit", async () => {
  const storage = new InMemoryStorage();
  await seed(storage, from1(5));
  const asked: unknown[] = [];
  const { driver } = new RemoteStorage(
    {
      list: async (...args) => {
        asked.push(args);
        return await storage.list(...args);
      },
      listMany: async (listings) => {
        asked.push(listings);
        return await storage.listMany(listings);
      },
    },
    storage,
  );
  expect(await readLastRecord(driver, "r1")).toEqual(record(5));
  await readLogPages(driver, [{ runId: "r1", after: 2 }], 2);
  expect(asked).toEqual([
    ["run-log", "r1/", { reverse: true, limit: 1 }],
    [{ namespace: "run-log", prefix: "r1/", limit: 2, after: "r1/000000000002" }],
  ]);
});
