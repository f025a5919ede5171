import { describe, expect, it } from "vitest";
import { checkConformance } from "../testing/conformance/check-conformance.ts";
import { vectorCollectionCases, vectorEmbeddingsCases } from "../testing/conformance/vector-optional-cases.ts";
import { at, fill } from "../testing/conformance/vector-documents.ts";
import { vectorStoreCases } from "../testing/conformance/vector-store-cases.ts";
import type { EmbeddingProvider } from "./embedding-provider.ts";
import { InMemoryVectorStore } from "./in-memory-vector-store.ts";

const createStore = () => new InMemoryVectorStore({ dimensions: 2 });

describe.each<[name: string, create: () => InMemoryVectorStore]>([
  ["InMemoryVectorStore", createStore],
  ["a collection of an InMemoryVectorStore", () => createStore().collection("inner")],
])("%s", (_name, create) => {
  describe("keeps and finds documents [vector.upsert] [vector.get] [vector.delete] [vector.clear] [vector.close] [vector.in-memory] [vector.search] [vector.top-k] [vector.min-score] [vector.filter]", () => {
    checkConformance(it, vectorStoreCases, { create });
  });
  checkConformance(it, vectorCollectionCases, { create });

  it("refuses to open a collection after it was closed", async () => {
    const store = create();
    await store.close();

    expect(() => store.collection("c")).toThrow(expect.objectContaining({ code: "storage_unavailable" }));
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
