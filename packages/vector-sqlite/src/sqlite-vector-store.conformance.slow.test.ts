import {
  checkDocsKnowledge,
  checkHostileStrings,
  checkTenants,
  clusteredVectors,
  measureRecall,
} from "@troupe-internal/fault-tools";
import type { DatabaseVectorStore } from "@troupe/core/vector";
import {
  checkConformance,
  FakeEmbeddings,
  vectorCollectionCases,
  vectorEmbeddingsCases,
  vectorListCases,
  vectorStoreCases,
  vectorTextCases,
  vectorWriteCases,
} from "@troupe/core/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { openSlowStore, useVectorFiles } from "../test/stores.ts";
import { SqliteVectorStore } from "./sqlite-vector-store.ts";

const newVectorFile = useVectorFiles();

const settings = { durability: "normal" } as const;

describe.each<[string, (options?: { dimensions?: number }) => DatabaseVectorStore]>([
  [
    "SqliteVectorStore [sqlite.vector-store]",
    (options = {}) => new SqliteVectorStore(newVectorFile(), { ...settings, ...options }),
  ],
  [
    "SqliteVectorStore without its extension [sqlite.vector-store-scan]",
    (options = {}) => openSlowStore(newVectorFile(), options),
  ],
])("%s", (_, open) => {
  const create = () => open({ dimensions: 2 });
  const subject = { create, dispose: async (store: { close(): Promise<void> }) => await store.close() };
  const inner = { ...subject, create: () => create().collection("inner") };
  checkConformance(it, vectorStoreCases, subject);
  checkConformance(it, vectorCollectionCases, subject);
  checkConformance(it, vectorWriteCases, subject);
  checkConformance(it, vectorListCases, subject);
  checkConformance(it, vectorTextCases, subject as never);
  describe("whose first document decides the length of all vectors", () => {
    checkConformance(it, vectorStoreCases, { ...subject, create: () => open() });
  });
  describe("in a collection", () => {
    checkConformance(it, vectorStoreCases, inner);
    checkConformance(it, vectorCollectionCases, inner);
    checkConformance(it, vectorWriteCases, inner);
    checkConformance(it, vectorListCases, inner);
    checkConformance(it, vectorTextCases, inner as never);
  });

  it("SqliteVectorStore finds the nearest of clustered vectors, with and without a filter that keeps 1 %", async () => {
    const store = open();
    onTestFinished(async () => await store.close());
    const sample = clusteredVectors({ dimensions: 32, queries: 10 });
    await store.write({ upsert: sample.documents });

    expect(await measureRecall(store, sample)).toBe(1);
    expect(await measureRecall(store, sample, { filter: { cluster: 3 } })).toBe(1);
    expect(await measureRecall(store, sample, { filter: { part: 3 } })).toBe(1);
    expect(await measureRecall(store, sample, { filter: { part: 3, cluster: 4 }, topK: 50 })).toBe(1);
  });

  it("SqliteVectorStore takes vectors of 3,072 numbers", async () => {
    const store = open();
    onTestFinished(async () => await store.close());
    const sample = clusteredVectors({ dimensions: 3072, count: 100, queries: 5 });
    await store.write({ upsert: sample.documents });

    expect(await measureRecall(store, sample)).toBe(1);
  });

  it("SqliteVectorStore touches exactly the document of each hostile string", async () => {
    const store = open();
    onTestFinished(async () => await store.close());
    await checkHostileStrings(store, { count: store instanceof SqliteVectorStore ? 5000 : 500 });
  });

  it("SqliteVectorStore answers questions about this repository's docs", async () => {
    const store = open();
    onTestFinished(async () => await store.close());
    await checkDocsKnowledge(store);
  });

  it("SqliteVectorStore keeps tenants apart", async () => {
    const store = open();
    onTestFinished(async () => await store.close());
    await checkTenants(store);
  });
});

describe("SqliteVectorStore with embeddings", () => {
  checkConformance(it, vectorEmbeddingsCases, {
    create: () => {
      const embeddings = new FakeEmbeddings();
      const store = new SqliteVectorStore(newVectorFile(), { ...settings, embeddings });
      return { store, embed: async (text) => await embeddings.embed(text) };
    },
    dispose: async ({ store }) => await store.close(),
  });
});
