import { MongoFailures } from "@troupe-internal/mongodb";
import { TroupeError } from "@troupe/core";
import type { StoredDocument } from "@troupe/core/vector";
import { Binary } from "mongodb";
import type { Document } from "mongodb";
import { describe, expect, it } from "vitest";
import { MongoDbVectorDatabase } from "./mongodb-vector-database.ts";
import type { Finder } from "./mongodb-vector-database.ts";
import type { OpenVectors } from "./open-vectors.ts";
import { idOf, keyOf } from "./stored-vector.ts";

const _id = keyOf("p");
const entry = { _id, path: "p", scope: `${_id}.now`, changes: 1, dimensions: 2 };
const binary = (...numbers: number[]) => Binary.fromFloat32Array(Float32Array.from(numbers));
const document: StoredDocument = { id: "a", content: "A", vector: Float32Array.of(1, 0), length: 1 };
const change = { documents: [document], deletedIds: [], deletedWhere: undefined };
const duplicate = Object.assign(new Error("E11000"), { code: 11_000 });

/** The answers of a scripted server to each method, in order; an error is thrown. */
type Answers = Readonly<Record<string, readonly unknown[]>>;

/** A database over a scripted server, and the requests that the server received. */
function start(answers: Answers = {}, finder: Partial<Finder> = {}) {
  const left = new Map(Object.entries(answers).map(([name, values]) => [name, [...values]]));
  const sent: unknown[] = [];
  const on =
    (name: string, usual: unknown = {}) =>
    async (...given: unknown[]) => {
      sent.push([name, ...given]);
      const values = left.get(name) ?? [];
      const answer = values.length === 0 ? usual : values.shift();
      if (answer instanceof Error) throw answer;
      return await Promise.resolve(answer);
    };
  const vectors = {
    catalog: {
      findOne: on("catalog.findOne", null),
      updateOne: on("catalog.updateOne"),
      insertOne: on("catalog.insertOne"),
      deleteOne: on("catalog.deleteOne"),
    },
    documents: {
      findOne: on("findOne", null),
      distinct: on("distinct", []),
      bulkWrite: on("bulkWrite"),
      find: (...given: unknown[]) => ({ toArray: async () => await on("find", [])(...given) }),
      deleteMany: on("deleteMany"),
    },
    timeoutMs: 0,
    isStandalone: true,
    toBinary: (vector: Float32Array) => Binary.fromFloat32Array(vector),
    startSession: () => ({ endSession: async () => {} }),
    close: on("close"),
  } as unknown as OpenVectors;
  const failures = new MongoFailures("mongodb://ann:s3cret@h");
  const whole = { find: on("finder.find", []), ...finder } as unknown as Finder;
  const names = () => sent.map((each) => (each as unknown[])[0]);
  return { database: new MongoDbVectorDatabase(vectors, { finder: whole, failures }), sent, names, on };
}

describe("MongoDbVectorDatabase.get", () => {
  const look = ["catalog.findOne", { _id }, {}];

  it.each<[string, Document, number[]]>([
    ["the vector of its dimensions", { vector2: binary(3, 4), vector3: binary(1, 1, 1) }, [3, 4]],
    [
      "the original, where the vector was scaled",
      { vector2: binary(0.6, 0.8), original: binary(3e9, 4e9) },
      [3e9, 4e9],
    ],
  ])("returns a document with %s", async (_what, fields, embedding) => {
    const stored = { _id: "x", id: "a", content: "A", metadata: '{"n":1}', ...fields };
    const { database, sent } = start({ "catalog.findOne": [entry], findOne: [stored] });

    expect(await database.get("p", "a")).toEqual({
      id: "a",
      content: "A",
      metadata: { n: 1 },
      embedding: embedding.map(Math.fround),
    });
    expect(sent).toEqual([look, ["findOne", { _id: idOf(entry.scope, "a") }]]);
  });

  it.each([
    ["does not exist", null],
    ["has a model alone", { ...entry, dimensions: undefined }],
  ])("asks for no document of a collection that %s", async (_what, found) => {
    const { database, sent } = start({ "catalog.findOne": [found] });

    expect(await database.get("p", "a")).toBeNull();
    expect(sent).toEqual([look]);
  });

  it("returns null for a document that does not exist", async () => {
    expect(await start({ "catalog.findOne": [entry] }).database.get("p", "a")).toBeNull();
  });
});

describe("MongoDbVectorDatabase.write", () => {
  it("checks dimensions first, writes, and then prepares the search for them", async () => {
    const order: unknown[] = [];
    const { database, names } = start(
      {},
      {
        checkDimensions: (dimensions) => void order.push(["check", dimensions, names().length]),
        prepare: async (dimensions) => void order.push(await Promise.resolve(["prepare", dimensions, names().length])),
      },
    );
    await database.write("p", change);
    expect(names()).toEqual(["catalog.findOne", "catalog.insertOne", "bulkWrite"]);
    await database.write("p", { documents: [], deletedIds: ["a"], deletedWhere: undefined });

    expect(order).toEqual([
      ["check", 2, 0],
      ["prepare", 2, 3],
    ]);
  });

  it("sends nothing for dimensions that cannot be searched", async () => {
    const error = new TroupeError("invalid_value", "Too long.");
    const checkDimensions = () => {
      throw error;
    };
    const { database, sent } = start({}, { checkDimensions });

    await expect(database.write("p", change)).rejects.toBe(error);
    expect(sent).toEqual([]);
  });
});

describe("MongoDbVectorDatabase.clear", () => {
  const range = { scope: { $gte: `${_id}.`, $lt: `${_id}/` } };

  it("removes the entry, then the documents of all scopes but the one that is current by then, in parts", async () => {
    const found = [[{ _id: "1" }, { _id: "2" }], [{ _id: "3" }], []];
    const { database, sent } = start({
      distinct: [[`${_id}.old`, entry.scope]],
      "catalog.findOne": [entry],
      find: found,
    });
    await database.clear("p");
    const finding = ["find", { scope: { $in: [`${_id}.old`] } }, { projection: { _id: 1 }, limit: 5000 }];

    expect(sent).toEqual([
      ["catalog.deleteOne", { _id }],
      ["distinct", "scope", range],
      ["catalog.findOne", { _id }],
      finding,
      ["deleteMany", { _id: { $in: ["1", "2"] } }],
      finding,
      ["deleteMany", { _id: { $in: ["3"] } }],
      finding,
    ]);
  });

  it("waits for the changes of the same collection before it, also for one that fails", async () => {
    const { database, names } = start({ bulkWrite: [new Error("lost")] });
    const writing = database.write("p", change).catch(() => {});
    await Promise.all([writing, database.clear("p")]);

    expect(names()).toEqual([
      "catalog.findOne",
      "catalog.insertOne",
      "bulkWrite",
      "catalog.deleteOne",
      "distinct",
      "catalog.findOne",
      "find",
    ]);
  });
});

describe("MongoDbVectorDatabase.rememberModel", () => {
  it("stores the model unless there is one, with an entry where there is none", async () => {
    const { database, sent } = start();

    expect(await database.rememberModel("p", "m")).toBe("m");
    expect(sent).toEqual([
      [
        "catalog.updateOne",
        { _id, model: { $exists: false } },
        {
          $set: { model: "m" },
          $setOnInsert: { path: "p", scope: expect.stringContaining(`${_id}.`) as string, changes: 0, hasWords: true },
        },
        { upsert: true },
      ],
    ]);
  });

  it("returns the model that is there", async () => {
    const { database, sent } = start({
      "catalog.updateOne": [duplicate],
      "catalog.findOne": [{ ...entry, model: "old" }],
    });

    expect(await database.rememberModel("p", "m")).toBe("old");
    expect(sent.at(-1)).toEqual(["catalog.findOne", { _id }]);
  });

  it("fails with any other error, without asking for the model", async () => {
    const { database, names } = start({ "catalog.updateOne": [new Error("lost")] });

    await expect(database.rememberModel("p", "m")).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(names()).toEqual(["catalog.updateOne"]);
  });
});

describe("MongoDbVectorDatabase", () => {
  it("searches by its finder, and closes its connection", async () => {
    const search = { vector: Float32Array.of(1, 0), length: 1, topK: 1, minScore: -Infinity, filter: {} };
    const { database, sent } = start({ "finder.find": [["found"]] });

    expect(await database.search("p", search)).toEqual(["found"]);
    await database.close();
    expect(sent).toEqual([["finder.find", "p", search], ["close"]]);
  });

  const lost = Object.assign(new Error("mongodb://ann:s3cret@h closed"), { name: "MongoNetworkError" });

  it.each<[string, Answers, (database: MongoDbVectorDatabase) => Promise<unknown>]>([
    ["get", { "catalog.findOne": [lost] }, async (database) => await database.get("p", "a")],
    ["search", { "finder.find": [lost] }, async (database) => await database.search("p", {} as never)],
    ["write", { "catalog.findOne": [lost] }, async (database) => await database.write("p", change)],
    ["clear", { "catalog.deleteOne": [lost] }, async (database) => await database.clear("p")],
    ["rememberModel", { "catalog.updateOne": [lost] }, async (database) => await database.rememberModel("p", "m")],
  ])("explains what the server says to %s, without the password", async (_name, answers, call) => {
    const error: unknown = await call(start(answers).database).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({
      code: "storage_unavailable",
      message: "MongoDB lost the connection before it answered. The operation may have been executed.",
    });
    expect(String((error as TroupeError).cause)).not.toContain("s3cret");
  });
});
