import { inspect } from "node:util";
import { freePort } from "@troupe-internal/fault-tools";
import { describe, expect, it } from "vitest";
import { MongoDbVectorStore } from "./mongodb-vector-store.ts";
import { readArguments } from "./mongodb-vector-options.ts";

describe("MongoDbVectorStore's arguments", () => {
  it("default to the database in the uri, and to fixed names [mongodb.vector-options]", () => {
    const defaults = { dbName: "troupe", collectionName: "vectors", search: "auto", timeoutMs: 10_000 };
    expect(readArguments("mongodb://host", {})).toEqual({ uri: "mongodb://host", ...defaults });
    expect(readArguments("mongodb+srv://u:p@host/my%2Ddb?w=1", {})).toMatchObject({ dbName: "my-db" });
    expect(readArguments("mongodb://host/inUri", { dbName: "named", collectionName: "v" })).toMatchObject({
      dbName: "named",
      collectionName: "v",
    });
  });

  it("are refused without quoting them when the uri is no uri of MongoDB", () => {
    for (const uri of [1, "postgres://user:hunter22@host", "mongodb://", undefined]) {
      const create = () => new MongoDbVectorStore(uri as string);

      expect(create).toThrow(expect.objectContaining({ code: "invalid_config" }));
      expect(create).toThrow(/uri must be a string that begins with mongodb:/);
      expect(create).not.toThrow(/hunter22/);
    }
  });

  it("are refused when an option is wrong or unknown", () => {
    const wrong: [object, RegExp][] = [
      [{ dbName: "a.b" }, /^dbName must be a name that MongoDB allows/],
      [{ collectionName: "system.x" }, /^collectionName must be a name that MongoDB allows/],
      [{ search: "fast" }, /^search must be /],
      [{ timeoutMs: 0 }, /^timeoutMs must be/],
      [{ dimensions: 1.5 }, /^dimensions must be/],
      [{ embeddings: {} }, /^embeddings must be an EmbeddingProvider/],
      [{ logger: {} }, /^logger must be a Logger/],
      [{ timeout: 1 }, /Unknown option "timeout"/],
    ];
    for (const [options, message] of wrong)
      expect(() => new MongoDbVectorStore("mongodb://host", options), String(message)).toThrow(message);
    expect(() => new MongoDbVectorStore("mongodb://host", null as never)).toThrow(
      /^The options of MongoDbVectorStore must be an object/,
    );
    expect(() => new MongoDbVectorStore("mongodb://host/%zz")).toThrow(/percent-encoded/);
  });
});

describe("MongoDbVectorStore without a server", () => {
  it("fails every call as storage_unavailable, without showing credentials [mongodb.vector-unavailable]", async () => {
    const uri = `mongodb://alice:hunter2222@127.0.0.1:${await freePort()}/db`;
    const store = new MongoDbVectorStore(uri, { timeoutMs: 100 });
    const calls = [
      store.initialize(),
      store.upsert({ id: "a", content: "", embedding: [1] }),
      store.search([1]),
      store.get("a"),
      store.delete("a"),
      store.clear(),
      store.rememberModel("m"),
    ];

    for (const outcome of await Promise.allSettled(calls)) {
      const error: unknown = outcome.status === "rejected" ? outcome.reason : undefined;
      expect(error).toMatchObject({ code: "storage_unavailable" });
      expect((error as Error).message).toMatch(/cannot be reached|did not answer/);
      expect(inspect(error, { depth: 20, showHidden: true }) + JSON.stringify(error)).not.toContain("hunter2222");
    }
    expect(inspect(store, { depth: 20, showHidden: true })).not.toContain("hunter2222");
    await store.close();
  });

  it("refuses a uri that MongoDB's library refuses, without quoting it", async () => {
    const store = new MongoDbVectorStore("mongodb://alice:hunter2222@host/?w=never&nonsense=hunter2222");
    const error: unknown = await store.get("a").catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ code: "invalid_config" });
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain("hunter2222");
    await store.close();
  });
});
