import { MongoFailures } from "@troupe-internal/mongodb";
import type { Logger } from "@troupe/core";
import type { RangeQuery } from "@troupe/core/storage";
import { describe, expect, it, vi } from "vitest";
import { MongoDatabase } from "./mongo-database.ts";
import type { OpenCollection } from "./open-collection.ts";
import { needsReplicaSet, standaloneWarning } from "./standalone.ts";
import type { MongoSession } from "./stored-record.ts";

type Answers = Readonly<Record<string, unknown>>;

const session = {
  startTransaction: vi.fn<() => void>(),
  commitTransaction: vi.fn<() => Promise<void>>(),
  inTransaction: () => false,
};

/** A database on a scripted collection, which answers each method in turn, and keeps what it is called with. */
function open(answers: Answers = {}, { isStandalone = false } = {}) {
  const sent: unknown[][] = [];
  const left = new Map(Object.entries(answers).map(([name, answer]) => [name, [answer].flat()]));
  const call =
    (name: string) =>
    (...called: unknown[]) => {
      sent.push([name, ...called]);
      const answer = left.get(name)?.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    };
  const records = {
    collectionName: "records",
    findOne: call("findOne"),
    insertOne: call("insertOne"),
    updateOne: call("updateOne"),
    deleteOne: call("deleteOne"),
    bulkWrite: call("bulkWrite"),
    find: (...called: unknown[]) => ({ toArray: async () => call("find")(...called) }),
    aggregate: (...called: unknown[]) => ({ toArray: async () => call("aggregate")(...called) ?? [] }),
  };
  const mongo = { records, session, timeoutMs: 1000 } as unknown as MongoSession;
  const changes = vi.fn<OpenCollection["changes"]>();
  const collection: OpenCollection = {
    timeoutMs: 1000,
    isStandalone,
    inSession: async (work) => await work(mongo),
    changes,
    ping: async () => void call("ping")(),
    close: async () => void call("close")(),
  };
  const logger = { warn: vi.fn<Logger["warn"]>() } as unknown as Logger;
  const failures = new MongoFailures("mongodb://host");
  return { database: new MongoDatabase(collection, { failures, logger }), sent, changes };
}

const place = { namespace: "a/b", key: "k" };
const _id = "a%2Fb/k";
const duplicate = (): Error => Object.assign(new Error("taken"), { code: 11_000 });
const range: RangeQuery = { namespace: "n", from: "a", to: "c", limit: undefined, reverse: false };

describe("MongoDatabase", () => {
  it.each([
    { found: null, text: null },
    { found: { _id, v: "1" }, text: "1" },
    { found: { _id, v: "" }, text: "" },
  ])("reads the text $text of a record", async ({ found, text }) => {
    const { database, sent } = open({ findOne: found === null ? [null] : found });

    expect(await database.read("a/b", "k")).toBe(text);
    expect(sent).toEqual([["findOne", { _id }, { session }]]);
  });

  it.each([
    { text: "1", request: ["updateOne", { _id }, { $set: { v: "1" } }, { session, upsert: true }] },
    { text: "", request: ["updateOne", { _id }, { $set: { v: "" } }, { session, upsert: true }] },
    { text: null, request: ["deleteOne", { _id }, { session }] },
  ])("writes the text $text with one request", async ({ text, request }) => {
    const { database, sent } = open();
    await database.write({ ...place, text });

    expect(sent).toEqual([request]);
  });

  it("repeats an upsert that another one preceded, and no other failure", async () => {
    const repeated = open({ updateOne: [duplicate()] });
    await repeated.database.write({ ...place, text: "1" });
    const failed = open({ updateOne: [new Error("broken")] });

    expect(repeated.sent).toHaveLength(2);
    await expect(failed.database.write({ ...place, text: "1" })).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(failed.sent).toHaveLength(1);
  });

  it.each([
    { expected: "1", next: "2", answer: { matchedCount: 1, modifiedCount: 0 }, swapped: true, name: "updateOne" },
    { expected: "1", next: "2", answer: { matchedCount: 0, modifiedCount: 0 }, swapped: false, name: "updateOne" },
    { expected: "1", next: null, answer: { deletedCount: 1 }, swapped: true, name: "deleteOne" },
    { expected: "1", next: null, answer: { deletedCount: 0 }, swapped: false, name: "deleteOne" },
    { expected: null, next: "2", answer: { acknowledged: true }, swapped: true, name: "insertOne" },
    { expected: null, next: "2", answer: duplicate(), swapped: false, name: "insertOne" },
  ])("swaps $expected for $next by $name: $swapped", async ({ expected, next, answer, swapped, name }) => {
    const { database, sent } = open({ [name]: answer });
    const requests: Readonly<Record<string, unknown[]>> = {
      updateOne: [{ _id, v: expected }, { $set: { v: next } }, { session }],
      deleteOne: [{ _id, v: expected }, { session }],
      insertOne: [{ _id, v: next }, { session }],
    };

    expect(await database.swap({ ...place, expected, next })).toBe(swapped);
    expect(sent).toEqual([[name, ...(requests[name] ?? [])]]);
  });

  it("reports a swap that failed for another reason than a taken key", async () => {
    const { database } = open({ insertOne: new Error("broken") });

    await expect(database.swap({ ...place, expected: null, next: "1" })).rejects.toMatchObject({
      code: "storage_unavailable",
    });
  });

  it("writes all in one transaction, again after a conflict", async () => {
    const { database, sent } = open({ bulkWrite: [duplicate()] });
    session.startTransaction.mockClear();
    session.commitTransaction.mockClear();
    await database.writeAll([
      { ...place, text: "1" },
      { namespace: "n", key: "x", text: null },
    ]);
    const operations = [
      { updateOne: { filter: { _id }, update: { $set: { v: "1" } }, upsert: true } },
      { deleteOne: { filter: { _id: "n/x" } } },
    ];
    const request = ["bulkWrite", operations, { session, ordered: false }];

    expect(sent).toEqual([request, request]);
    expect(session.startTransaction).toHaveBeenCalledTimes(2);
    expect(session.commitTransaction).toHaveBeenCalledOnce();
  });

  it.each([
    { asked: range, options: { sort: { _id: 1 }, limit: 0 } },
    { asked: { ...range, limit: 2 }, options: { sort: { _id: 1 }, limit: 2 } },
    { asked: { ...range, reverse: true }, options: { sort: { _id: -1 }, limit: 0 } },
  ])("lists a range of keys by $options", async ({ asked, options }) => {
    const { database, sent } = open({
      find: [
        [
          { _id: "n/a", v: "1" },
          { _id: "n/b/x", v: "2" },
        ],
      ],
    });
    const listed = await database.list(asked);

    expect(sent).toEqual([
      ["find", { _id: { $gte: "n/a", $lt: "n/c" } }, { readConcern: { level: "snapshot" }, session, ...options }],
    ]);
    expect(listed).toEqual([
      { key: "a", text: "1" },
      { key: "b/x", text: "2" },
    ]);
  });
});

describe("MongoDatabase on a standalone server", () => {
  const standalone = { isStandalone: true };

  it("says that it serves one process, and refuses what needs a transaction before it sends anything", async () => {
    const { database, sent } = open({}, standalone);
    const lease = { key: "l", token: "t" };
    const append = { namespace: "n", keyPrefix: "p", text: "1", lease } as unknown as Parameters<
      MongoDatabase["append"]
    >[0];

    await expect(database.writeAll([{ ...place, text: "1" }])).rejects.toEqual(needsReplicaSet("transaction"));
    await expect(database.append(append)).rejects.toEqual(needsReplicaSet("ifHeld"));
    expect(sent).toEqual([]);
    expect(database.singleProcess).toBe(standaloneWarning);
    expect(open().database.singleProcess).toBeUndefined();
  });

  it("reads without a snapshot, and opens no change stream", async () => {
    const { database, sent, changes } = open({}, standalone);
    await database.listMany([range]);
    database.watch(() => {})();

    expect(sent[0]?.[2]).toEqual({ session });
    expect(changes).not.toHaveBeenCalled();
  });
});

describe("MongoDatabase.close", () => {
  it.each([false, true])(
    "closes the cursors of all watches, slow ones too, before it disconnects; one fails: %s",
    async (fails) => {
      const { database, sent, changes } = open();
      const cursor = (name: string) => (signal: AbortSignal) => ({
        closed: false,
        tryNext: async () =>
          await new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
        close: async () => {
          await new Promise((resolve) => setImmediate(resolve));
          sent.push([`cursor ${name}`]);
          if (fails) throw new Error("The cursor is lost.");
        },
      });
      for (const name of ["one", "two"]) {
        changes.mockImplementationOnce(cursor(name) as unknown as OpenCollection["changes"]);
        database.watch(() => {});
      }
      await database.close();

      expect(sent).toEqual([["cursor one"], ["cursor two"], ["close"]]);
    },
  );

  it("disconnects once, and a failing ping is storage_unavailable", async () => {
    const { database, sent } = open({ ping: new Error("broken") });

    await expect(database.ping()).rejects.toMatchObject({ code: "storage_unavailable" });
    await database.close();
    expect(sent).toEqual([["ping"], ["close"]]);
  });
});
