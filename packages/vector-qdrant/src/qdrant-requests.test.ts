import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { KnowledgeBase } from "@troupe/core";
import type { VectorDocument } from "@troupe/core";
import { FakeEmbeddings } from "@troupe/core/testing";
import { QdrantDouble } from "../test/qdrant-double.ts";
import { QdrantVectorStore } from "./qdrant-vector-store.ts";

const at = (id: string, embedding: number[], metadata?: Record<string, unknown>): VectorDocument => ({
  id,
  content: `content of ${id}`,
  embedding,
  ...(metadata && { metadata }),
});

let double: QdrantDouble;
let store: QdrantVectorStore;
beforeEach(async () => {
  double = await QdrantDouble.start();
  store = new QdrantVectorStore({ url: double.url });
});
afterEach(async () => {
  await store.close();
  await double.close();
});

const onlyCollection = () => [...double.collections][0] ?? expect.fail("There is no collection.");
const countOf = (ending: string) => double.requests.filter(({ path }) => path.endsWith(ending)).length;
const idsOf = async (from: QdrantVectorStore, topK = 10) =>
  (await from.search([1, 0], { topK })).map(({ document }) => document.id);

describe("A collection of QdrantVectorStore", () => {
  it("is a collection in Qdrant that keeps the whole name and has an index for filters [qdrant.store]", async () => {
    await store.collection("hand/book 🙂").upsert(at("a", [1, 0]));
    const [name, collection] = onlyCollection();

    expect(name).toMatch(/^troupe-hand-2Fbook-20-F0-9F-99-82-[0-9a-f]{32}$/);
    expect(collection.metadata).toEqual({ troupe: encodeURIComponent("hand/book 🙂"), "troupe-words": true });
    expect([collection.size, collection.distance, collection.indexes.get("terms")]).toEqual([
      2,
      "Dot",
      { data_type: "keyword", points: 0 },
    ]);
  });

  it("is made once by many stores that write at the same time [qdrant.created-once]", async () => {
    const stores = Array.from({ length: 4 }, () => new QdrantVectorStore({ url: double.url }));
    await Promise.all(stores.map(async (each, index) => await each.upsert(at(`d${index}`, [1, index]))));

    expect(await idsOf(store)).toEqual(["d0", "d1", "d2", "d3"]);
    expect(double.collections.size).toBe(1);
  });

  it("takes the dimensions of the first of two stores, and refuses the other's [qdrant.dimensions]", async () => {
    const other = new QdrantVectorStore({ url: double.url });
    const done = await Promise.allSettled([store.upsert(at("a", [1, 0])), other.upsert(at("b", [1, 0, 0]))]);
    const [refused] = done.flatMap((each) => (each.status === "rejected" ? [each.reason as unknown] : []));

    expect(done.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(refused).toMatchObject({
      code: "invalid_value",
      message: expect.stringMatching(/^The embedding must have [23] numbers, as the store's vectors, got [23]\.$/),
    });
    expect(onlyCollection()[1].points.size).toBe(1);
  });

  it("is not made for a first batch that it could not take, and takes the right one then [qdrant.dimensions]", async () => {
    await expect(store.write({ upsert: [at("a", [1, 0]), at("b", [1, 0, 0])] })).rejects.toMatchObject({
      code: "invalid_value",
    });
    expect(double.collections.size).toBe(0);
    await store.write({ upsert: [at("a", [1, 0, 0]), at("b", [0, 1, 0])] });

    expect(onlyCollection()[1]).toMatchObject({ size: 3 });
  });

  it("is written again when another store has cleared it, also with other dimensions", async () => {
    const other = new QdrantVectorStore({ url: double.url });
    await store.upsert(at("a", [1, 0]));
    await other.clear();
    await store.upsert(at("b", [1, 0]));
    expect(await idsOf(other)).toEqual(["b"]);
    await other.clear();
    await other.upsert(at("c", [1, 0, 0]));

    const refusal = { code: "invalid_value", message: expect.stringMatching(/must have 3 numbers/) as string };
    await expect(store.upsert(at("d", [1, 0]))).rejects.toMatchObject(refusal);
    await expect(store.search([1, 0])).rejects.toMatchObject(refusal);
  });

  it("a collection of QdrantVectorStore of another program is refused and left as it is", async () => {
    await store.upsert(at("a", [1, 0]));
    Object.assign(onlyCollection()[1], { metadata: null });
    const second = new QdrantVectorStore({ url: double.url });

    await expect(second.upsert(at("b", [1, 0]))).rejects.toMatchObject({ code: "invalid_config" });
    expect(onlyCollection()[1].points.size).toBe(1);
  });

  it("a collection of QdrantVectorStore that was never written needs no collection in Qdrant", async () => {
    expect(await idsOf(store)).toEqual([]);
    expect(await store.get("a")).toBeNull();
    await store.write({ delete: ["a"], deleteWhere: { of: "x" } });
    await store.clear();

    expect(double.collections.size).toBe(0);
  });

  it("remembers the first of two models that two stores tell at once, and forgets it when cleared [qdrant.model]", async () => {
    const other = new QdrantVectorStore({ url: double.url });
    await other.collection("more").rememberModel("any");
    const gate = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    double.beforeChange = async () => {
      reached.resolve();
      await gate.promise;
    };
    // It has found no model, and is about to write its own.
    const late = store.rememberModel("late");
    await reached.promise;
    double.beforeChange = undefined;
    const first = await other.rememberModel("first");
    gate.resolve();
    expect([first, await late]).toEqual(["first", "first"]);
    await store.clear();

    expect(await other.rememberModel("next")).toBe("next");
  });
});

describe("A document of QdrantVectorStore", () => {
  it("has a point whose UUID is made of its id, which is kept beside it [qdrant.ids]", async () => {
    await store.write({ upsert: [at("a", [1, 0]), at("A", [1, 0]), at("a ", [1, 0])] });
    const points = [...onlyCollection()[1].points.values()];

    expect(points.map(({ payload }) => payload["id"])).toEqual(["a", "A", "a "]);
    expect(points[0]?.id).toBe("ca978112-ca1b-8dca-bac2-31b39a23dc4d");
  });

  it("is never returned for another id of the same point", async () => {
    await store.upsert(at("a", [1, 0]));
    for (const point of onlyCollection()[1].points.values()) point.payload["id"] = "b";

    await expect(store.get("a")).rejects.toMatchObject({ code: "storage_corrupt" });
  });

  it("is refused as corrupt when its point is of another program", async () => {
    await store.upsert(at("a", [1, 0], { of: "x" }));
    const [point] = onlyCollection()[1].points.values();
    for (const damage of [{ metadata: "{" }, { content: 5 }, { id: null }]) {
      Object.assign(point?.payload ?? {}, damage);
      await expect(store.search([1, 0])).rejects.toMatchObject({ code: "storage_corrupt" });
    }
  });

  it.each([
    ["of length 1", [0.6, 0.8], false],
    ["of length 1 with a negative zero", [1, -0], true],
    ["of another length", [0.1, -2], true],
    ["so long that products overflow", [3e38, 1e-30], true],
    ["so short that products vanish", [1e-30, -3e-30], true],
  ])(
    "has its vector exactly when it is %s, kept twice only if needed [qdrant.exact]",
    async (_title, embedding, isKept) => {
      await store.upsert(at("a", embedding));
      const [point] = onlyCollection()[1].points.values();
      const [found] = await store.search(embedding);

      expect((await store.get("a"))?.embedding).toEqual(embedding.map(Math.fround));
      expect("vector" in (point?.payload ?? {})).toBe(isKept);
      expect(found?.score).toBeCloseTo(1, 5);
    },
  );

  it("is found by metadata of any size, of which long parts are hashed", async () => {
    const long = "x".repeat(200_000);
    await store.write({ upsert: [at("a", [1, 0], { long }), at("b", [1, 0], { long: `${long.slice(1)}y` })] });

    const found = await store.search([1, 0], { filter: { long } });
    expect(found.map(({ document }) => [document.id, document.metadata])).toEqual([["a", { long }]]);
    expect(JSON.stringify(double.requests.at(-1)?.body).length).toBeLessThan(400);
  });

  it("has metadata as JSON text: Qdrant would sort its names and may round its numbers", async () => {
    const metadata = { z: 1, a: 0.1234567890123456, big: 2 ** 60, deep: { y: [1e21, -1e-7], b: null } };
    await store.upsert(at("a", [1, 0], metadata));

    expect(JSON.stringify((await store.get("a"))?.metadata)).toBe(JSON.stringify(metadata));
  });
});

describe("A search of QdrantVectorStore", () => {
  it("compares all matching points when the index shows fewer than asked for [qdrant.top-k]", async () => {
    await store.write({ upsert: Array.from({ length: 12 }, (_, index) => at(`d${index}`, [1, index])) });
    onlyCollection()[1].missesPoints = true;

    expect(await idsOf(store)).toHaveLength(10);
    expect(countOf("/query")).toBe(2);
  });

  it("returns what the index shows when the server's strict mode refuses to compare all", async () => {
    await store.write({ upsert: [at("a", [1, 0]), at("b", [0, 1])] });
    double.fault = ({ body }) =>
      "params" in body ? { status: 400, body: '{"status":{"error":"Exact search is not allowed"}}' } : undefined;

    expect(await idsOf(store)).toEqual(["a", "b"]);
    expect(countOf("/query")).toBe(2);
  });

  it("decides a tie at the last place by the bytes of the ids, however many are tied [qdrant.ties]", async () => {
    const ids = Array.from({ length: 700 }, (_, index) => `d${String(699 - index).padStart(3, "0")}`);
    await store.write({ upsert: [at("near", [1, 0]), ...ids.map((id) => at(id, [1, 1])), at("far", [-1, 0])] });

    expect(await idsOf(store, 4)).toEqual(["near", "d000", "d001", "d002"]);
  });

  it("needs one request when as many documents as asked for are found", async () => {
    await store.write({ upsert: [at("a", [1, 0]), at("b", [0, 1]), at("c", [-1, 0])] });
    await idsOf(store, 2);

    expect(countOf("/query")).toBe(1);
  });
});

describe("A change of QdrantVectorStore", () => {
  it("removes old documents when all new ones are there, so that a reader in between misses none [qdrant.readers]", async () => {
    const reader = new QdrantVectorStore({ url: double.url });
    const pieces = (n: number) => Array.from({ length: 3 }, (_, index) => at(`p${n}/${index}`, [1, 0], { n }));
    await store.write({ upsert: pieces(0) });
    const seen: string[] = [];
    double.beforeChange = async () => {
      const found = await idsOf(reader);
      const isWhole = (n: number) => pieces(n).every(({ id }) => found.includes(id));
      seen.push(`${isWhole(0) ? "old" : ""}${isWhole(1) ? "new" : ""}`);
    };
    await store.write({ deleteWhere: { n: 0 }, upsert: pieces(1) });

    expect(seen).toEqual(["old", "old", "old", "oldnew", "new", "new"]);
    expect(await idsOf(store)).toEqual(["p1/0", "p1/1", "p1/2"]);
  });

  it("is one request when it is small, and waits until it is made", async () => {
    await store.upsert(at("a", [1, 0], { of: "x" }));
    await store.write({ upsert: [at("b", [1, 0], { of: "x" })], delete: ["c"], deleteWhere: { of: "x" } });

    expect(countOf("/batch")).toBe(2);
    expect(await idsOf(store)).toEqual(["b"]);
  });

  it("replaces a document in place: a reader in between finds the old one or the new one, each whole", async () => {
    const reader = new QdrantVectorStore({ url: double.url });
    const pieces = (n: number) => ["p0", "p1", "p2"].map((id) => ({ ...at(id, [1, 0], { n }), content: `${n}` }));
    await store.write({ upsert: pieces(0) });
    const seen: string[] = [];
    double.beforeChange = async () => {
      const found = await reader.search([1, 0]);
      seen.push(found.map(({ document }) => `${document.content}${String(document.metadata?.["n"])}`).join());
    };
    await store.write({ deleteWhere: { n: 0 }, upsert: pieces(1) });

    expect(seen).toEqual(["00,00,00", "11,00,00", "11,11,00"]);
  });

  it("is refused when its vectors have more dimensions than Qdrant takes", async () => {
    await expect(
      store.upsert(
        at(
          "a",
          Array.from({ length: 65_537 }, () => 1),
        ),
      ),
    ).rejects.toMatchObject({
      code: "invalid_value",
    });
    expect(double.collections.size).toBe(0);
  });

  it("re-adds a split document of a knowledge base, and leaves none of its old pieces", async () => {
    const embeddings = new FakeEmbeddings();
    const base = new KnowledgeBase({
      name: "docs",
      vectorStore: new QdrantVectorStore({ url: double.url, embeddings }),
      chunking: { size: 20, overlap: 0 },
    });
    const text = (word: string, count: number) =>
      Array.from({ length: count }, (_, index) => `Sentence ${index} is about ${word}.`).join(" ");
    await base.add({ id: "a", content: text("rain", 30) });
    await base.add({ id: "b", content: "Snow." });
    await base.add({ id: "a", content: text("sun", 9) });
    const found = await base.search("rain", { topK: 100 });

    expect(found.length).toBeGreaterThan(2);
    expect(found.filter(({ document }) => document.content.includes("rain"))).toEqual([]);
    expect((await base.get("a"))?.content).toBe(text("sun", 9));
    await base.close();
  });

  it("deletes 25,000 documents by their ids", async () => {
    const ids = Array.from({ length: 25_000 }, (_, index) => `d${index}`);
    await store.upsert(at("d24999", [1, 0]));
    await store.write({ delete: ids });

    expect(await idsOf(store)).toEqual([]);
  });
});
