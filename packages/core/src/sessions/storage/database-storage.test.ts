import { afterEach, describe, expect, it, vi } from "vitest";
import { DatabaseStorage } from "./database-storage.ts";
import type { RecordDatabase } from "./record-database.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** A storage over a database of which a test needs only some members. */
function storageOver(database: Partial<RecordDatabase>, maxTextBytes?: number): DatabaseStorage {
  const limit = maxTextBytes === undefined ? {} : { maxTextBytes };
  return new DatabaseStorage({ name: "The storage", open: async () => database as RecordDatabase, ...limit });
}

describe("DatabaseStorage", () => {
  it("fails a ping that is not answered within a second, and clears its timer when it is", async () => {
    vi.useFakeTimers();
    const silent = new DatabaseStorage({ name: "The silent storage", open: async () => await new Promise(() => {}) });
    const failure = silent.ping().catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1000);

    expect(await failure).toMatchObject({
      code: "storage_unavailable",
      message: "The silent storage did not answer within 1000 ms.",
    });
    await storageOver({ ping: async () => {} }).ping();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("opens nothing for a call that it refuses", async () => {
    const open = vi.fn<() => Promise<RecordDatabase>>();
    const storage = new DatabaseStorage({ name: "The storage", open, maxTextBytes: 10 });
    const refused = [
      storage.get("", "k"),
      storage.set("ns", "k", NaN),
      storage.set("ns", "k", "longer than that"),
      storage.append("ns", "s/", null),
      storage.append("ns", "s/", 1, { ifHeld: { key: "", token: 1 } }),
      storage.compareAndSet("ns", "k", null, NaN),
      storage.list("ns", "", { limit: 0 }),
      storage.listMany([
        { namespace: "ns", prefix: "", limit: 1 },
        { namespace: "ns", prefix: "", limit: 0 },
      ]),
      storage.transaction([{ namespace: "ns", key: "a\0", value: 1 }]),
      storage.insertAll([{ namespace: "ns", key: "k", value: null }]),
    ];

    for (const each of refused) await expect(each).rejects.toMatchObject({ code: "invalid_value" });
    expect(open).not.toHaveBeenCalled();
  });

  it("counts the bytes of a text, not its characters, against the limit of the database", async () => {
    const write = vi.fn<RecordDatabase["write"]>();
    const storage = storageOver({ write }, 6);
    await storage.set("ns", "k", "éé");

    await expect(storage.set("ns", "k", "ééé")).rejects.toMatchObject({
      code: "invalid_value",
      message: "The storage holds at most 6 bytes of JSON in one record.",
    });
    expect(write).toHaveBeenCalledOnce();
  });

  it("writes the last value of each record in a transaction, in the order of the records", async () => {
    const writeAll = vi.fn<RecordDatabase["writeAll"]>();
    const write = (namespace: string, key: string, value: number | null) => ({ namespace, key, value });
    await storageOver({ writeAll }).transaction([
      write("b", "k", 1),
      write("a", "k", 2),
      write("b", "k", null),
      write("a", "j", 3),
    ]);

    expect(writeAll.mock.calls).toEqual([
      [
        [
          { namespace: "a", key: "j", text: "3" },
          { namespace: "a", key: "k", text: "2" },
          { namespace: "b", key: "k", text: null },
        ],
      ],
    ]);
  });

  it("makes a transaction of one record a plain write, and one of none nothing", async () => {
    const write = vi.fn<RecordDatabase["write"]>();
    const storage = storageOver({ write });
    await storage.transaction([]);
    await storage.transaction([{ namespace: "ns", key: "k", value: 1 }]);

    expect(write.mock.calls).toEqual([[{ namespace: "ns", key: "k", text: "1" }]]);
  });
});

const record = { namespace: "ns", key: "k" };

/** A database whose swaps and reads answer in turn. */
function scripted(swaps: readonly boolean[], reads: readonly (string | null)[]) {
  const swap = vi.fn<RecordDatabase["swap"]>();
  const read = vi.fn<RecordDatabase["read"]>();
  for (const answer of swaps) swap.mockResolvedValueOnce(answer);
  for (const answer of reads) read.mockResolvedValueOnce(answer);
  return { swap, read };
}

describe("DatabaseStorage.compareAndSet", () => {
  const expected = { a: 1, b: 2 };

  it("needs one swap when the record is stored as it would store it", async () => {
    const database = scripted([true], []);

    expect(await storageOver(database).compareAndSet("ns", "k", expected, 3)).toBe(true);
    expect(database.swap.mock.calls).toEqual([[{ ...record, expected: '{"a":1,"b":2}', next: "3" }]]);
    expect(database.read).not.toHaveBeenCalled();
  });

  it("swaps the exact text that it found to be equal, and reads again when that has changed meanwhile", async () => {
    const [one, other] = ['{"b":2,"a":1}', '{ "b": 2, "a": 1 }'];
    const database = scripted([false, false, true], [one, other]);

    expect(await storageOver(database).compareAndSet("ns", "k", expected, 3)).toBe(true);
    expect(database.swap.mock.calls.slice(1)).toEqual([
      [{ ...record, expected: one, next: "3" }],
      [{ ...record, expected: other, next: "3" }],
    ]);
  });

  it("gives up once the record has another value", async () => {
    const database = scripted([false, false], ['{"b":2,"a":1}', '{"b":2}']);

    expect(await storageOver(database).compareAndSet("ns", "k", expected, 3)).toBe(false);
  });

  it("tries again to create a record that existed and was removed meanwhile", async () => {
    const database = scripted([false, true], [null]);

    expect(await storageOver(database).compareAndSet("ns", "k", null, 3)).toBe(true);
    expect(database.swap).toHaveBeenCalledTimes(2);
  });

  it("only reads when no record is expected and none is to be set", async () => {
    const database = scripted([], [null, "1"]);
    const storage = storageOver(database);

    expect(await storage.compareAndSet("ns", "k", null, null)).toBe(true);
    expect(await storage.compareAndSet("ns", "k", null, null)).toBe(false);
    expect(database.swap).not.toHaveBeenCalled();
  });
});

describe("DatabaseStorage.insertAll", () => {
  const write = (key: string, value: number) => ({ namespace: "ns", key, value });

  it("swaps each record when the database has no insertAll, and one key once", async () => {
    const swap = vi.fn<RecordDatabase["swap"]>(async ({ key }) => key !== "taken");
    const storage = storageOver({ swap });

    expect(await storage.insertAll([write("a", 1), write("taken", 2), write("a", 3)])).toEqual([true, false, false]);
    expect(swap.mock.calls).toEqual([
      [{ namespace: "ns", key: "a", expected: null, next: "1" }],
      [{ namespace: "ns", key: "taken", expected: null, next: "2" }],
    ]);
  });

  it("asks the database once for all records, and for none not at all", async () => {
    const insertAll = vi.fn<NonNullable<RecordDatabase["insertAll"]>>(async () => [true, false]);
    const storage = storageOver({ insertAll });

    expect(await storage.insertAll([write("a", 1), write("b", 2)])).toEqual([true, false]);
    expect(await storage.insertAll([])).toEqual([]);
    expect(insertAll).toHaveBeenCalledOnce();
  });
});

describe("DatabaseStorage.listMany", () => {
  const listings = [
    { namespace: "one", prefix: "a/", limit: 2 },
    { namespace: "other", prefix: "a/", after: "a/5", limit: 3 },
  ];
  const ranges = [
    { namespace: "one", from: "a/", to: "a0", limit: 2, reverse: false },
    { namespace: "other", from: "a/5\u0001", to: "a0", limit: 3, reverse: false },
  ];

  it("lists each range when the database has no listMany", async () => {
    const list = vi.fn<RecordDatabase["list"]>(async ({ namespace }) => [{ key: "a/7", text: `"${namespace}"` }]);

    expect(await storageOver({ list }).listMany(listings)).toEqual([
      [{ key: "a/7", value: "one" }],
      [{ key: "a/7", value: "other" }],
    ]);
    expect(list.mock.calls).toEqual(ranges.map((range) => [range]));
  });

  it("asks the database once for all listings, and for none not at all", async () => {
    const listMany = vi.fn<NonNullable<RecordDatabase["listMany"]>>(async () => [[], [{ key: "a/6", text: "1" }]]);
    const storage = storageOver({ listMany });

    expect(await storage.listMany(listings)).toEqual([[], [{ key: "a/6", value: 1 }]]);
    expect(await storage.listMany([])).toEqual([]);
    expect(listMany.mock.calls).toEqual([[ranges]]);
  });

  it("rejects as a whole when one listing has a record that is not JSON", async () => {
    const storage = storageOver({ listMany: async () => [[], [{ key: "a/6", text: "{" }]] });

    await expect(storage.listMany(listings)).rejects.toMatchObject({ code: "storage_corrupt" });
  });
});
