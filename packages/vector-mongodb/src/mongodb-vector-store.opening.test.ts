import { createLogger } from "@troupe/core";
import { Binary, Collection, Db, MongoClient } from "mongodb";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { MongoFailures } from "@troupe-internal/mongodb";
import { MongoDbVectorStore } from "./mongodb-vector-store.ts";
import { readArguments } from "./mongodb-vector-options.ts";
import { openVectors } from "./open-vectors.ts";

const replicaSet = { setName: "rs", maxWireVersion: 13 };
const standalone = { maxWireVersion: 13 };
const refused = Object.assign(new Error("no"), { name: "MongoServerError", code: 59 });

const standaloneWarning =
  "MongoDB runs as a standalone server, which has no transactions. A change of several documents is not one step: " +
  "others may see a part of it, and a crash may leave one. Start it as a replica set; one server is enough " +
  '("mongod --replSet rs0", then "rs.initiate()" once in mongosh).';

/** Lets real clients reach a server that answers `hello`, has no search indexes and compares nothing. */
function serve(hello: object) {
  const asked = vi.spyOn(Db.prototype, "listCollections").mockReturnValue({ toArray: async () => [{}] } as never);
  vi.spyOn(Db.prototype, "command").mockResolvedValue(hello);
  vi.spyOn(Db.prototype, "aggregate").mockReturnValue({ next: async () => await Promise.reject(refused) } as never);
  const listed = vi.spyOn(Collection.prototype, "listSearchIndexes");
  listed.mockReturnValue({ toArray: async () => await Promise.reject(refused) } as never);
  vi.spyOn(Collection.prototype, "findOne").mockResolvedValue(null);
  const createIndex = vi.spyOn(Collection.prototype, "createIndex").mockResolvedValue("index");
  const close = vi.spyOn(MongoClient.prototype, "close").mockResolvedValue();
  return { asked, createIndex, close };
}

/** A logger that keeps what it is told, and by which method. */
function keepLog() {
  const said: string[][] = [];
  const logger = {
    ...createLogger(),
    info: (message: string) => void said.push(["info", message]),
    warn: (message: string) => void said.push(["warn", message]),
  };
  return { said, logger };
}

beforeEach(() => () => void vi.restoreAllMocks());

describe("MongoDbVectorStore when it opens", () => {
  it.each([
    ["warns once of a standalone server, after it has said how it searches", standalone, [["warn", standaloneWarning]]],
    ["warns of no replica set", replicaSet, []],
    ["warns of no router of a sharded cluster", { ...standalone, msg: "isdbgrid" }, []],
  ])("%s", async (_title, hello, warnings) => {
    serve(hello);
    const { said, logger } = keepLog();
    const store = new MongoDbVectorStore("mongodb://host", { logger });
    onTestFinished(() => store.close());
    expect([await store.get("a"), await store.get("a")]).toEqual([null, null]);

    expect(said).toEqual([["info", "Each search compares all documents, in this process."], ...warnings]);
  });

  it("says nothing of the server where the wanted search is missing, and disconnects", async () => {
    const { close } = serve(standalone);
    const { said, logger } = keepLog();
    const store = new MongoDbVectorStore("mongodb://host", { logger, search: "vector" });

    await expect(store.get("a")).rejects.toMatchObject({
      code: "invalid_config",
      message: expect.stringMatching(/^search: "vector" needs MongoDB Vector Search/) as unknown,
    });
    expect(said).toEqual([]);
    expect(close.mock.calls).toEqual([[]]);
  });

  it("converts a failure of the choice of the search, and disconnects", async () => {
    const { close } = serve(replicaSet);
    const lost = Object.assign(new Error("connect ECONNREFUSED mongodb://u:hunter2222@host"), {
      name: "MongoNetworkError",
    });
    vi.spyOn(Db.prototype, "aggregate").mockReturnValue({ next: async () => await Promise.reject(lost) } as never);
    const store = new MongoDbVectorStore("mongodb://u:hunter2222@host");

    await expect(store.get("a")).rejects.toMatchObject({
      code: "storage_unavailable",
      message: expect.not.stringContaining("hunter2222") as unknown,
    });
    expect(close.mock.calls).toEqual([[]]);
  });
});

describe("openVectors", () => {
  const open = async (options = {}) =>
    await openVectors(readArguments("mongodb://host/app", options), new MongoFailures("mongodb://host/app"));

  it("prepares the documents and their catalog in the database, and indexes the documents alone", async () => {
    const { asked, createIndex, close } = serve(replicaSet);
    const vectors = await open({ collectionName: "facts", timeoutMs: 700 });

    expect([vectors.documents, vectors.catalog].map(({ namespace }) => namespace)).toEqual([
      "app.facts",
      "app.facts.catalog",
    ]);
    expect(asked.mock.calls).toEqual([[{ name: "facts" }], [{ name: "facts.catalog" }]]);
    expect(JSON.stringify(createIndex.mock.calls)).toBe('[[{"scope":1,"terms":1}],[{"scope":1,"words":1}]]');
    expect(createIndex.mock.contexts).toEqual([vectors.documents, vectors.documents]);
    expect(vectors).toMatchObject({ isStandalone: false, timeoutMs: 700 });
    expect(vectors.db.databaseName).toBe("app");
    expect(vectors.toBinary(Float32Array.of(1, -0.5))).toEqual(Binary.fromFloat32Array(Float32Array.of(1, -0.5)));
    await vectors.close();
    expect(close.mock.calls).toEqual([[]]);
  });

  it.each([
    [standalone, "local"],
    [replicaSet, "majority"],
  ])("reads both collections of a server that answers %j at the level %s", async (hello, level) => {
    serve(hello);
    const { documents, catalog } = await open();

    expect([documents.readConcern?.level, catalog.readConcern?.level]).toEqual([level, level]);
  });

  it("names the store where the server is too old, and leaves no connection when that or an index fails", async () => {
    const { close, createIndex } = serve({ ...replicaSet, maxWireVersion: 12 });
    await expect(open()).rejects.toMatchObject({
      code: "invalid_config",
      message: "MongoDbVectorStore needs MongoDB 5.0 or later. Upgrade the server.",
    });
    vi.spyOn(Db.prototype, "command").mockResolvedValue(replicaSet);
    createIndex.mockRejectedValue(Object.assign(new Error("lost"), { name: "MongoNetworkError" }));
    await expect(open()).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(close.mock.calls).toEqual([[], []]);
  });
});
