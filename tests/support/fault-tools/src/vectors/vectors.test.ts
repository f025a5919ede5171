import { InMemoryVectorStore } from "@troupe/core";
import type { VectorDocument, VectorSearchOptions } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { checkDocsKnowledge } from "./check-docs-knowledge.ts";
import { checkHostileStrings } from "./check-hostile-strings.ts";
import { checkTenants } from "./check-tenants.ts";
import { clusteredVectors, measureRecall } from "./clustered-vectors.ts";
import { hostileStrings } from "./hostile-strings.ts";

/** A store that finds something else, as a wrong one would. */
class WrongStore extends InMemoryVectorStore {
  readonly #change: (text: string) => string;

  constructor(change: (text: string) => string) {
    super();
    this.#change = change;
  }

  override async get(id: string): Promise<VectorDocument | null> {
    return await super.get(this.#change(id));
  }
}

describe("clusteredVectors", () => {
  it("makes filters that keep one percent, within one cluster and across all", () => {
    const { documents, queries } = clusteredVectors({ dimensions: 4 });

    expect(documents.filter(({ metadata }) => metadata.cluster === 7)).toHaveLength(100);
    const part = documents.filter(({ metadata }) => metadata.part === 7);
    expect(new Set(part.map(({ metadata }) => metadata.cluster)).size).toBe(part.length);
    expect([part.length, queries.length, queries[0]?.length]).toEqual([100, 50, 4]);
  });

  it("makes the same vectors for the same seed", () => {
    const size = { count: 3, dimensions: 2, queries: 1 };

    expect(clusteredVectors(size)).toEqual(clusteredVectors(size));
    expect(clusteredVectors({ ...size, seed: 2 })).not.toEqual(clusteredVectors(size));
  });
});

describe("measureRecall", () => {
  const sample = clusteredVectors({ count: 2000, dimensions: 16, queries: 5 });
  const fill = async () => {
    const store = new InMemoryVectorStore();
    await store.write({ upsert: sample.documents });
    return store;
  };

  it("is 1 for an exact search, with and without a filter", async () => {
    const store = await fill();

    expect(await measureRecall(store, sample)).toBe(1);
    expect(await measureRecall(store, sample, { filter: { cluster: 3 } })).toBe(1);
    expect(await measureRecall(store, sample, { filter: { part: 3 }, topK: 200 })).toBe(1);
  });

  it("is less for a search that leaves out every other of the nearest documents", async () => {
    const store = await fill();
    const search = async (embedding: readonly number[], options: VectorSearchOptions = {}) =>
      (await store.search(embedding, { ...options, topK: 20 })).filter((_, index) => index % 2 === 0);

    expect(await measureRecall({ search }, sample)).toBeCloseTo(0.5, 1);
  });

  it("refuses too few documents, and documents that the filter leaves out", async () => {
    const store = await fill();

    await expect(measureRecall({ search: async () => [] }, sample)).rejects.toThrow("found 0 of 10");
    const unfiltered = { search: async (embedding: readonly number[]) => await store.search(embedding) };
    await expect(measureRecall(unfiltered, sample, { filter: { part: 3 } })).rejects.toThrow("leaves out");
  });
});

describe("hostileStrings", () => {
  it("makes different well-formed strings", () => {
    const strings = hostileStrings(5000);

    expect(new Set(strings).size).toBe(5000);
    expect(strings.filter((text) => text === "" || text.includes("\0") || !text.isWellFormed())).toEqual([]);
  });
});

describe("InMemoryVectorStore with hostile strings and tenants", () => {
  it("touches exactly the document of each hostile string", async () => {
    await checkHostileStrings(new InMemoryVectorStore(), { count: 600 });
    await checkHostileStrings(new InMemoryVectorStore().collection("c"), { count: 100, seed: 2 });
  });

  it("keeps tenants apart", async () => {
    await checkTenants(new InMemoryVectorStore());
  });

  it.each<[string, (text: string) => string]>([
    ["trims ids", (text) => text.trim() || text],
    ["ignores the case of ids", (text) => text.toLowerCase()],
    ["normalizes ids", (text) => text.normalize("NFC")],
  ])("would find a store that %s", async (_, change) => {
    await expect(checkHostileStrings(new WrongStore(change), { count: 600 })).rejects.toThrow("for the string");
  });
});

describe("a knowledge base of this repository's docs", () => {
  it("answers ten questions with the right page [knowledge.docs]", async () => {
    await checkDocsKnowledge(new InMemoryVectorStore());
  });

  it("would find a store that forgets pieces", async () => {
    const store = new InMemoryVectorStore();
    const collection = store.collection.bind(store);
    store.collection = (name) => {
      const view = collection(name);
      const search = view.search.bind(view);
      view.search = async (embedding, options) => (await search(embedding, options)).slice(2);
      return view;
    };

    await expect(checkDocsKnowledge(store)).rejects.toThrow("of the question");
  });
});
