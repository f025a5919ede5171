import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { QdrantDouble } from "../test/qdrant-double.ts";
import { QdrantVectorStore } from "./qdrant-vector-store.ts";
import { documentAt, idsOf } from "../test/stores.ts";

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

describe("A collection of QdrantVectorStore", () => {
  it("is a collection in Qdrant that keeps the whole name and has an index for filters [qdrant.store]", async () => {
    await store.collection("hand/book 🙂").upsert(documentAt("a", [1, 0]));
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
    await Promise.all(stores.map(async (each, index) => await each.upsert(documentAt(`d${index}`, [1, index]))));

    expect(await idsOf(store)).toEqual(["d0", "d1", "d2", "d3"]);
    expect(double.collections.size).toBe(1);
  });

  it("takes the dimensions of the first of two stores, and refuses the other's [qdrant.dimensions]", async () => {
    const other = new QdrantVectorStore({ url: double.url });
    const done = await Promise.allSettled([
      store.upsert(documentAt("a", [1, 0])),
      other.upsert(documentAt("b", [1, 0, 0])),
    ]);
    const [refused] = done.flatMap((each) => (each.status === "rejected" ? [each.reason as unknown] : []));

    expect(done.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(refused).toMatchObject({
      code: "invalid_value",
      message: expect.stringMatching(/^The embedding must have [23] numbers, as the store's vectors, got [23]\.$/),
    });
    expect(onlyCollection()[1].points.size).toBe(1);
  });

  it("is not made for a first batch that it could not take, and takes the right one then [qdrant.dimensions]", async () => {
    await expect(store.write({ upsert: [documentAt("a", [1, 0]), documentAt("b", [1, 0, 0])] })).rejects.toMatchObject({
      code: "invalid_value",
    });
    expect(double.collections.size).toBe(0);
    await store.write({ upsert: [documentAt("a", [1, 0, 0]), documentAt("b", [0, 1, 0])] });

    expect(onlyCollection()[1]).toMatchObject({ size: 3 });
  });

  it("is written again when another store has cleared it, also with other dimensions", async () => {
    const other = new QdrantVectorStore({ url: double.url });
    await store.upsert(documentAt("a", [1, 0]));
    await other.clear();
    await store.upsert(documentAt("b", [1, 0]));
    expect(await idsOf(other)).toEqual(["b"]);
    await other.clear();
    await other.upsert(documentAt("c", [1, 0, 0]));

    const refusal = { code: "invalid_value", message: expect.stringMatching(/must have 3 numbers/) as string };
    await expect(store.upsert(documentAt("d", [1, 0]))).rejects.toMatchObject(refusal);
    await expect(store.search([1, 0])).rejects.toMatchObject(refusal);
  });

  it("a collection of QdrantVectorStore of another program is refused and left as it is", async () => {
    await store.upsert(documentAt("a", [1, 0]));
    Object.assign(onlyCollection()[1], { metadata: null });
    const second = new QdrantVectorStore({ url: double.url });

    await expect(second.upsert(documentAt("b", [1, 0]))).rejects.toMatchObject({ code: "invalid_config" });
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
    await store.write({ upsert: [documentAt("a", [1, 0]), documentAt("A", [1, 0]), documentAt("a ", [1, 0])] });
    const points = [...onlyCollection()[1].points.values()];

    expect(points.map(({ payload }) => payload["id"])).toEqual(["a", "A", "a "]);
    expect(points[0]?.id).toBe("ca978112-ca1b-8dca-bac2-31b39a23dc4d");
  });

  it("is never returned for another id of the same point", async () => {
    await store.upsert(documentAt("a", [1, 0]));
    for (const point of onlyCollection()[1].points.values()) point.payload["id"] = "b";

    await expect(store.get("a")).rejects.toMatchObject({ code: "storage_corrupt" });
  });

  it("is refused as corrupt when its point is of another program", async () => {
    await store.upsert(documentAt("a", [1, 0], { of: "x" }));
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
      await store.upsert(documentAt("a", embedding));
      const [point] = onlyCollection()[1].points.values();
      const [found] = await store.search(embedding);

      expect((await store.get("a"))?.embedding).toEqual(embedding.map(Math.fround));
      expect("vector" in (point?.payload ?? {})).toBe(isKept);
      expect(found?.score).toBeCloseTo(1, 5);
    },
  );

  it("is found by metadata of any size, of which long parts are hashed", async () => {
    const long = "x".repeat(200_000);
    await store.write({
      upsert: [documentAt("a", [1, 0], { long }), documentAt("b", [1, 0], { long: `${long.slice(1)}y` })],
    });

    const found = await store.search([1, 0], { filter: { long } });
    expect(found.map(({ document }) => [document.id, document.metadata])).toEqual([["a", { long }]]);
    expect(JSON.stringify(double.requests.at(-1)?.body).length).toBeLessThan(400);
  });

  it("has metadata as JSON text: Qdrant would sort its names and may round its numbers", async () => {
    const metadata = { z: 1, a: 0.1234567890123456, big: 2 ** 60, deep: { y: [1e21, -1e-7], b: null } };
    await store.upsert(documentAt("a", [1, 0], metadata));

    expect(JSON.stringify((await store.get("a"))?.metadata)).toBe(JSON.stringify(metadata));
  });
});

describe("A search of QdrantVectorStore", () => {
  it("compares all matching points when the index shows fewer than asked for [qdrant.top-k]", async () => {
    await store.write({ upsert: Array.from({ length: 12 }, (_, index) => documentAt(`d${index}`, [1, index])) });
    onlyCollection()[1].missesPoints = true;

    expect(await idsOf(store)).toHaveLength(10);
    expect(countOf("/query")).toBe(2);
  });

  it("returns what the index shows when the server's strict mode refuses to compare all", async () => {
    await store.write({ upsert: [documentAt("a", [1, 0]), documentAt("b", [0, 1])] });
    double.fault = ({ body }) =>
      "params" in body ? { status: 400, body: '{"status":{"error":"Exact search is not allowed"}}' } : undefined;

    expect(await idsOf(store)).toEqual(["a", "b"]);
    expect(countOf("/query")).toBe(2);
  });

  it("decides a tie at the last place by the bytes of the ids, however many are tied [qdrant.ties]", async () => {
    const ids = Array.from({ length: 700 }, (_, index) => `d${String(699 - index).padStart(3, "0")}`);
    await store.write({
      upsert: [documentAt("near", [1, 0]), ...ids.map((id) => documentAt(id, [1, 1])), documentAt("far", [-1, 0])],
    });

    expect(await idsOf(store, 4)).toEqual(["near", "d000", "d001", "d002"]);
  });

  it("needs one request when as many documents as asked for are found", async () => {
    await store.write({ upsert: [documentAt("a", [1, 0]), documentAt("b", [0, 1]), documentAt("c", [-1, 0])] });
    await idsOf(store, 2);

    expect(countOf("/query")).toBe(1);
  });
});
