import { describe, expect, it } from "vitest";
import { checkConformance } from "../../testing/conformance/check-conformance.ts";
import {
  vectorCollectionCases,
  vectorEmbeddingsCases,
  vectorWriteCases,
} from "../../testing/conformance/vector-optional-cases.ts";
import { at, fill } from "../../testing/conformance/vector-documents.ts";
import { vectorListCases } from "../../testing/conformance/vector-list-cases.ts";
import { vectorTextCases } from "../../testing/conformance/vector-text-cases.ts";
import { vectorStoreCases } from "../../testing/conformance/vector-store-cases.ts";
import type { VectorCollection } from "./database-vector-store.ts";
import type { EmbeddingProvider } from "./embedding-provider.ts";
import { InMemoryVectorStore } from "./in-memory-vector-store.ts";
import type { VectorSearchOptions } from "./vector-store.ts";

const createStore = () => new InMemoryVectorStore({ dimensions: 2 });

describe("an InMemoryVectorStore whose first document decides the length of all vectors", () => {
  checkConformance(it, vectorStoreCases, { create: () => new InMemoryVectorStore() });
});

describe.each<[name: string, create: () => VectorCollection]>([
  ["InMemoryVectorStore", () => createStore()],
  ["a collection of an InMemoryVectorStore", () => createStore().collection("inner")],
])("%s", (_name, create) => {
  checkConformance(it, vectorStoreCases, { create });
  checkConformance(it, vectorCollectionCases, { create });
  checkConformance(it, vectorWriteCases, { create });
  checkConformance(it, vectorListCases, { create });
  checkConformance(it, vectorTextCases, { create } as never);

  it("refuses to open a collection after it was closed", async () => {
    const store = create();
    await store.close();

    expect(() => store.collection("c")).toThrow(expect.objectContaining({ code: "storage_unavailable" }));
  });
});

describe("InMemoryVectorStore", () => {
  const compass = async () => {
    const store = createStore();
    await fill(store, at("north", [0, 1], { axis: "y", up: true }), at("east", [1, 0], { axis: "x", up: true }));
    await fill(store, at("west", [-1, 0], { axis: "x" }), at("north-east", [1, 1]));
    return store;
  };
  const idsOf = async (store: InMemoryVectorStore, options?: VectorSearchOptions) =>
    (await store.search([0, 1], options)).map(({ document }) => document.id);

  it("stores a document, replacing the one of its id as a whole [vector.upsert] [vector.get]", async () => {
    const store = await compass();
    await store.upsert({ id: "north", content: "moved", embedding: [0, -1] });

    expect(await store.get("north")).toEqual({ id: "north", content: "moved", embedding: [0, -1] });
    expect(await idsOf(store)).toEqual(["north-east", "east", "west", "north"]);
    expect(await store.get("south")).toBeNull();
  });

  it("finds documents with their scores, best first [vector.search]", async () => {
    const found = await (await compass()).search([0, 1], { topK: 2 });

    expect(found.map(({ document }) => document)).toEqual([
      { id: "north", content: "content of north", metadata: { axis: "y", up: true } },
      { id: "north-east", content: "content of north-east" },
    ]);
    expect(found[0]?.score).toBeCloseTo(1, 5);
    expect(found[1]?.score).toBeCloseTo(Math.SQRT1_2, 5);
  });

  it("returns topK documents, 10 by default [vector.top-k]", async () => {
    const store = createStore();
    for (let index = 0; index < 12; index++) await store.upsert(at(`d${index}`, [1, index]));

    expect(await idsOf(store, { topK: 3 })).toEqual(["d11", "d10", "d9"]);
    expect(await idsOf(store)).toHaveLength(10);
  });

  it("leaves out documents below minScore, and keeps those at it [vector.min-score]", async () => {
    const store = await compass();

    expect(await idsOf(store, { minScore: 0 })).toEqual(["north", "north-east", "east", "west"]);
    expect(await idsOf(store, { minScore: 0.005 })).toEqual(["north", "north-east"]);
    expect(await idsOf(store, { minScore: 0.71 })).toEqual(["north"]);
  });

  it("finds documents whose metadata has every value of the filter [vector.filter]", async () => {
    const store = await compass();

    expect(await idsOf(store, { filter: { axis: "x" } })).toEqual(["east", "west"]);
    expect(await idsOf(store, { filter: { axis: "x", up: true } })).toEqual(["east"]);
    expect(await idsOf(store, { filter: { axis: null } })).toEqual([]);
  });

  it("finds documents by a field within objects [vector.filter-paths]", async () => {
    const store = createStore();
    await fill(
      store,
      at("a", [0, 1], { by: { city: "Oslo" } }),
      at("b", [0, 1], { "by.city": "Oslo" }),
      at("c", [0, 1]),
    );

    expect(await idsOf(store, { filter: { "by.city": "Oslo" } })).toEqual(["a", "b"]);
  });

  it.each([{ $where: "true" }, { axis: { $ne: "x" } }, { axis: undefined }])(
    "refuses the filter %o [vector.no-operators]",
    async (filter) => {
      await expect((await compass()).search([0, 1], { filter })).rejects.toMatchObject({ code: "invalid_value" });
    },
  );

  it("changes all or nothing [vector.write]", async () => {
    const store = await compass();
    const bad = store.write({ upsert: [at("new", [1, 0]), at("bad", [1])], deleteWhere: { axis: "x" } });
    await expect(bad).rejects.toMatchObject({ code: "invalid_value" });
    expect(await idsOf(store)).toHaveLength(4);
    await store.write({ upsert: [at("new", [0, 1])], delete: ["north"], deleteWhere: { axis: "x" } });

    expect(await idsOf(store)).toEqual(["new", "north-east"]);
  });

  it.each(["x".repeat(8 * 2 ** 20 + 1), "a\0b"])(
    "refuses content that other stores could not keep [vector.size]",
    async (content) => {
      const stored = createStore().upsert({ id: "a", content, embedding: [1, 0] });

      await expect(stored).rejects.toMatchObject({
        code: "invalid_value",
        message: expect.stringContaining("The content of a document"),
      });
    },
  );

  it("remembers the embedding model until it is cleared [vector.model]", async () => {
    const store = createStore();

    expect([await store.rememberModel("a"), await store.rememberModel("b")]).toEqual(["a", "a"]);
    await store.clear();
    expect(await store.rememberModel("b")).toBe("b");
  });

  it("finds no deleted document, and the others by their own vectors [vector.delete]", async () => {
    const store = await compass();
    await store.delete("north");
    await store.delete("north");

    expect(await store.get("north")).toBeNull();
    expect(await idsOf(store)).toEqual(["north-east", "east", "west"]);
    expect((await store.get("west"))?.embedding).toEqual([-1, 0]);
  });

  it("clears all documents and takes new ones [vector.clear]", async () => {
    const store = await compass();
    await store.clear();
    expect([await idsOf(store), await store.get("east")]).toEqual([[], null]);
    await fill(store, at("west", [0, 1]), at("new", [1, 0]));

    expect(await idsOf(store)).toEqual(["west", "new"]);
  });

  it("refuses calls once it is closed [vector.close]", async () => {
    const store = await compass();
    await store.close();

    for (const call of [store.get("east"), store.search([0, 1]), store.upsert(at("a", [0, 1])), store.clear()])
      await expect(call).rejects.toMatchObject({ code: "storage_unavailable" });
  });

  it("works without options, and shares nothing with another [vector.in-memory]", async () => {
    const [one, other] = [new InMemoryVectorStore(), new InMemoryVectorStore()];
    await one.upsert(at("a", [1, 0, 0]));

    expect((await one.get("a"))?.content).toBe("content of a");
    expect(await other.get("a")).toBeNull();
  });
});

/** Points north for "north", else east; each text is noted. */
class Compass implements EmbeddingProvider {
  readonly dimensions = 2;
  readonly texts: string[] = [];

  async embed(text: string): Promise<number[]> {
    this.texts.push(text);
    return text === "north" ? [0, 1] : [1, 0];
  }

  embedBatch(texts: readonly string[]): Promise<number[][]> {
    return Promise.all(texts.map((text) => this.embed(text)));
  }
}

describe("InMemoryVectorStore with embeddings", () => {
  it("makes the vectors of documents without one, also in collections", async () => {
    const embeddings = new Compass();
    const store = new InMemoryVectorStore({ embeddings });
    await fill(store, { id: "n", content: "north" }, { id: "given", content: "north", embedding: [1, 0] });
    await store.collection("c").upsert({ id: "e", content: "east" });

    expect(embeddings.texts).toEqual(["north", "east"]);
    expect((await store.search([0, 1])).map(({ document }) => document.id)).toEqual(["n", "given"]);
    expect((await store.collection("c").get("e"))?.embedding).toEqual([1, 0]);
  });

  checkConformance(it, vectorEmbeddingsCases, {
    create: () => {
      const embeddings = new Compass();
      return { store: new InMemoryVectorStore({ embeddings }), embed: async (text) => await embeddings.embed(text) };
    },
  });

  it("stores nothing when it is closed while an embedding is made", async () => {
    const store = new InMemoryVectorStore({ embeddings: new Compass() });
    const stored = store.upsert({ id: "n", content: "north" });
    await store.close();

    await expect(stored).rejects.toMatchObject({ code: "storage_unavailable" });
  });

  it("says how to correct a document without an embedding", async () => {
    await expect(new InMemoryVectorStore().upsert({ id: "a", content: "a" })).rejects.toMatchObject({
      code: "invalid_value",
      message: "The document has no embedding. Give it one, or give the store `embeddings`.",
    });
  });
});

describe("InMemoryVectorStore dimensions", () => {
  it("uses the length of the first vector, in each collection by itself, until it is cleared", async () => {
    const store = new InMemoryVectorStore();
    await store.upsert(at("a", [1, 0, 0]));
    await store.collection("c").upsert(at("a", [1, 0]));

    await expect(store.upsert(at("b", [1, 0]))).rejects.toMatchObject({ code: "invalid_value" });
    await store.clear();
    await store.upsert(at("b", [1, 0]));
  });

  it("uses the dimensions of the embeddings", async () => {
    const store = new InMemoryVectorStore({ embeddings: new Compass() });

    await expect(store.upsert(at("a", [1, 0, 0]))).rejects.toMatchObject({ code: "invalid_value" });
  });

  it.each([{ dimensions: 0 }, { dimensions: 1.5 }, { dimensions: NaN }, { dimensions: 3, embeddings: new Compass() }])(
    "refuses %o",
    (options) => {
      expect(() => new InMemoryVectorStore(options)).toThrow(expect.objectContaining({ code: "invalid_config" }));
    },
  );
});

it("An InMemoryVectorStore is named in its errors", async () => {
  expect(() => new InMemoryVectorStore({ size: 1 } as object)).toThrow(
    expect.objectContaining({
      code: "invalid_config",
      message: 'Unknown option "size" of InMemoryVectorStore. Expected embeddings or dimensions.',
    }),
  );
  const store = new InMemoryVectorStore();
  await store.close();

  await expect(store.get("a")).rejects.toMatchObject({
    code: "storage_unavailable",
    message: "The in-memory vector store has been closed.",
  });
});
