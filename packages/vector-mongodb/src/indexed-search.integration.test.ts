import { checkHostileStrings, checkTenants, clusteredVectors, measureRecall } from "@troupe-internal/fault-tools";
import type { Logger, VectorDocument } from "@troupe/core";
import type { Document } from "mongodb";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import type { MongoDbVectorStore } from "./mongodb-vector-store.ts";
import type { MongoDbVectorOptions } from "./mongodb-vector-options.ts";
import { SearchDouble } from "./test/search-double.ts";
import type { SearchDoubleOptions } from "./test/search-double.ts";
import { dropTestDb, newName, newStore, serverUrl, silent, testDb, withClient } from "./test/stores.ts";

const never = 1_000_000;
const at = (id: string, angle: number, metadata?: Record<string, unknown>): VectorDocument => ({
  id,
  content: `content of ${id}`,
  embedding: [Math.cos(angle), Math.sin(angle)],
  ...(metadata && { metadata }),
});
const many = (prefix: string, count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => at(`${prefix}${index}`, (from + index) / 100));
const idsOf = async (store: Pick<MongoDbVectorStore, "search">, topK: number) =>
  (await store.search([1, 0], { topK })).map(({ document }) => document.id);

describe.skipIf(serverUrl === "")("MongoDbVectorStore through a double of MongoDB Vector Search", () => {
  const open: { close(): Promise<void> }[] = [];
  const start = async (options: SearchDoubleOptions = {}) => {
    const double = await SearchDouble.create(serverUrl, { buildsFor: 0, ...options });
    open.unshift(double);
    const name = newName();
    const create = (more: MongoDbVectorOptions = {}) => {
      const store = newStore({ collectionName: name, ...more }, double.url);
      open.unshift(store);
      return store;
    };
    const asked = (stage: string): Document[] =>
      double.asked.filter((each) => each.name === stage).map(({ body }) => body);
    return { create, asked, double, name };
  };
  afterEach(async () => {
    for (const each of open.splice(0)) await each.close();
  });
  afterAll(async () => await dropTestDb());

  it("creates one index for each length of vectors, and searches through it [mongodb.vector-index]", async () => {
    const { create, asked } = await start();
    const info = vi.fn<Logger["info"]>();
    const stores = [create({ logger: { ...silent, info } }), create(), create()];
    await Promise.all(
      stores.map(async (store, index) => {
        await store.collection(`tenant ${index}`).write({ upsert: many("d", 30) });
        await store.upsert({ id: `three ${index}`, content: "", embedding: [1, 0, index] });
      }),
    );
    const [first] = stores;
    const found = await first?.collection("tenant 1").search([1, 0], { topK: 3, filter: {} });

    expect(found?.map(({ document }) => document.id)).toEqual(["d0", "d1", "d2"]);
    expect(info.mock.calls).toEqual([["Searches use the index of MongoDB Vector Search."]]);
    const filters = ["scope", "terms", "lastOf"].map((path) => ({ type: "filter", path }));
    const definitions = asked("createSearchIndexes").map(({ indexes }) => (indexes as Document[])[0]);
    for (const dimensions of [2, 3])
      expect(definitions).toContainEqual({
        name: `troupe_vector${dimensions}`,
        type: "vectorSearch",
        definition: {
          fields: [
            { type: "vector", path: `vector${dimensions}`, numDimensions: dimensions, similarity: "cosine" },
            ...filters,
          ],
        },
      });
    const [{ $vectorSearch: stage } = {}] = (asked("$vectorSearch").at(-1) as { pipeline: Document[] }).pipeline;
    expect(stage).toMatchObject({ index: "troupe_vector2", path: "vector2", limit: 16, numCandidates: 320 });
  });

  it("finds what was written before, also by others, when the index shows none of it [mongodb.vector-late-index]", async () => {
    const { create } = await start({ refreshEvery: never });
    const [writer, reader] = [create(), create()];
    await writer.write({ upsert: many("old", 40, 50) });
    // From now on the index is as it is.
    expect(await idsOf(reader, 2)).toEqual(["old0", "old1"]);
    await writer.upsert(at("new", 0));
    expect(await idsOf(reader, 2)).toEqual(["new", "old0"]);
    await writer.write({ delete: ["old0", "new"], upsert: [at("old1", 3), at("old39", 0.1)] });

    expect(await idsOf(reader, 2)).toEqual(["old39", "old2"]);
    expect(await idsOf(reader, 39)).toHaveLength(39);
    await writer.write({ deleteWhere: { none: 1 }, delete: many("old", 39).map(({ id }) => id) });
    expect(await idsOf(reader, 5)).toEqual(["old39"]);
    await writer.clear();
    expect(await idsOf(reader, 5)).toEqual([]);
  });

  it("finds topK documents when the nearest were removed and the index does not know it [mongodb.vector-late-index]", async () => {
    const { create } = await start({ refreshEvery: never });
    const store = create();
    await store.write({ upsert: many("d", 60) });
    expect(await idsOf(store, 2)).toEqual(["d0", "d1"]);
    await store.write({ delete: many("d", 40).map(({ id }) => id) });

    expect(await idsOf(store, 5)).toEqual(["d40", "d41", "d42", "d43", "d44"]);
  });

  it("finds nothing of a collection that is cleared during the search [mongodb.vector-late-index]", async () => {
    const { create, double, name } = await start();
    const store = create();
    await store.write({ upsert: many("d", 60) });
    expect(await idsOf(store, 2)).toEqual(["d0", "d1"]);
    // The first step of another process that clears it: the documents are still there.
    double.meanwhile = async () => {
      await withClient(async (client) => {
        await client.db(testDb).collection(`${name}.catalog`).deleteOne({ path: "" });
      });
    };

    expect(await idsOf(store, 5)).toEqual([]);
  });

  it("does not compare again what the index shows [mongodb.vector-late-index]", async () => {
    const { create, asked } = await start({ refreshEvery: 1 });
    const store = create();
    await store.write({ upsert: many("d", 40) });
    await idsOf(store, 2);
    const before = asked("$vectorSearch").length;
    for (let search = 0; search < 3; search++) expect(await idsOf(store, 2)).toEqual(["d0", "d1"]);

    // One each: the index is asked how far it is only after a change.
    expect(asked("$vectorSearch").length - before).toBe(3);
  });

  it("finds topK documents where as many match, with and without a filter [mongodb.vector-late-index]", async () => {
    const { create } = await start({ refreshEvery: 40 });
    const store = create();
    const sample = clusteredVectors({ count: 2000, dimensions: 16, queries: 5 });
    await store.write({ upsert: sample.documents });

    expect(await measureRecall(store, sample)).toBeGreaterThanOrEqual(0.95);
    expect(await measureRecall(store, sample, { filter: { cluster: 3 } })).toBeGreaterThanOrEqual(0.95);
    expect(await measureRecall(store, sample, { filter: { part: 3 }, topK: 200 })).toBe(1);
    const filter = { part: 3, ...Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`n${index}`, index])) };
    await store.upsert({ ...at("a", 0, filter), embedding: sample.queries[0] ?? [] });
    expect((await store.search(sample.queries[1] ?? [], { filter })).map(({ document }) => document.id)).toEqual(["a"]);
  });

  it("keeps tenants apart, and takes hostile strings for data [mongodb.vector-strings] [mongodb.vector-tenants]", async () => {
    const { create } = await start({ refreshEvery: 10 });
    const store = create();
    await checkTenants(store, { tenants: 4, rounds: 3 });
    await checkHostileStrings(store.collection("h"), { count: 60 });
  });

  it("compares all documents until the index is built, and where it cannot be made, which it says once [mongodb.vector-index]", async () => {
    const warn = vi.fn<Logger["warn"]>();
    const building = await start({ buildsFor: never });
    const slow = building.create();
    await slow.write({ upsert: many("d", 5) });
    expect(await idsOf(slow, 2)).toEqual(["d0", "d1"]);
    expect(building.asked("$vectorSearch")).toEqual([]);

    const full = await start({ mostIndexes: 0 });
    const store = full.create({ logger: { ...silent, warn } });
    await store.write({ upsert: many("d", 5) });
    for (let search = 0; search < 3; search++) expect(await idsOf(store, 2)).toEqual(["d0", "d1"]);
    expect(warn.mock.calls).toEqual([
      [expect.stringMatching(/did not create the search index troupe_vector2.*compares all documents/)],
    ]);
    const forced = full.create({ search: "vector" });
    await expect(forced.search([1, 0])).rejects.toMatchObject({
      code: "invalid_config",
      message: expect.stringMatching(/small clusters allow few/) as string,
    });
  });

  it("compares vectors that are too long for an index, or refuses them when an index is demanded [mongodb.vector-index]", async () => {
    const { create } = await start();
    const embedding = Array.from({ length: 8193 }, (_, index) => (index % 7) - 3);
    const document = { id: "long", content: "", embedding };
    const store = create();
    await store.upsert(document);
    expect((await store.search(embedding))[0]?.score).toBeCloseTo(1, 6);
    const forced = create({ search: "vector" });

    await expect(forced.collection("c").upsert(document)).rejects.toMatchObject({
      code: "invalid_value",
      message: expect.stringMatching(/at most 8192 dimensions, got 8193/) as string,
    });
    expect(await forced.collection("c").get("long")).toBeNull();
  });
});
