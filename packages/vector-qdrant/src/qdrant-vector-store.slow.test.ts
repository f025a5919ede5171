import { checkHostileStrings, checkTenants, clusteredVectors, measureRecall } from "@troupe-internal/fault-tools";
import { sleep } from "@troupe/core/kit";
import {
  checkConformance,
  FakeEmbeddings,
  vectorCollectionCases,
  vectorListCases,
  vectorEmbeddingsCases,
  vectorStoreCases,
  vectorTextCases,
  vectorWriteCases,
} from "@troupe/core/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { QdrantDouble } from "../test/qdrant-double.ts";
import { QdrantVectorStore } from "./qdrant-vector-store.ts";

const gap = "shows a reader all of a change or none";
const { [gap]: gapCase, ...writeCases } = vectorWriteCases;

let double: QdrantDouble;
let created = 0;
beforeAll(async () => void (double = await QdrantDouble.start()));
afterAll(async () => await double.close());

const createStore = (server = double) =>
  new QdrantVectorStore({ url: server.url, dimensions: 2, prefix: `test-${created++}` });
const dispose = async (store: { close: () => Promise<void> }) => await store.close();

describe.each([
  ["QdrantVectorStore", (server?: QdrantDouble) => createStore(server)],
  ["a collection of a QdrantVectorStore", (server?: QdrantDouble) => createStore(server).collection("inner")],
])("%s on QdrantDouble", (_name, create) => {
  checkConformance(it, vectorStoreCases, { create: () => create(), dispose });
  checkConformance(it, vectorCollectionCases, { create: () => create(), dispose });
  checkConformance(it, vectorListCases, { create: () => create(), dispose });
  checkConformance(it, vectorTextCases, { create: () => create(), dispose } as never);
  checkConformance(it, writeCases, { create: () => create(), dispose });
});

describe("QdrantVectorStore on a QdrantDouble that lets readers come between two changes", () => {
  let slow: QdrantDouble;
  beforeAll(async () => {
    slow = await QdrantDouble.start();
    slow.beforeChange = async () => {
      const reads = () => slow.requests.filter(({ path }) => path.endsWith("/query")).length;
      const before = reads();
      // The first documents are stored before there is a reader.
      const isRead = () => before === 0 || reads() > before;
      for (let waited = 0; !isRead() && waited < 20; waited++) await sleep(5);
    };
  });
  afterAll(async () => await slow.close());

  const knownGaps = { [gap]: "Qdrant has no transactions" };
  checkConformance(it, { [gap]: gapCase }, { create: () => createStore(slow), dispose, knownGaps });
});

describe("QdrantVectorStore with embeddings on QdrantDouble", () => {
  const embeddings = new FakeEmbeddings();
  const create = () => ({
    store: new QdrantVectorStore({ url: double.url, prefix: `test-${created++}`, embeddings }),
    embed: async (text: string) => await embeddings.embed(text),
  });
  checkConformance(it, vectorEmbeddingsCases, { create, dispose: async ({ store }) => await store.close() });
});

describe("QdrantVectorStore and what callers may send, on QdrantDouble", () => {
  it("takes hostile strings as ids, content, names and values literally [qdrant.hostile]", async () => {
    const store = createStore();

    await expect(checkHostileStrings(store, { count: 300 })).resolves.toBeUndefined();
    await store.close();
  });

  it("keeps tenants with near-equal names apart [qdrant.tenants]", async () => {
    const store = createStore();

    await expect(checkTenants(store, { tenants: 8, rounds: 4 })).resolves.toBeUndefined();
    await store.close();
  });

  it("finds the nearest of 2,000 clustered vectors, with and without a filter [qdrant.recall]", async () => {
    const store = new QdrantVectorStore({ url: double.url, prefix: `test-${created++}` });
    const vectors = clusteredVectors({ count: 2000, queries: 10 });
    await store.write({ upsert: vectors.documents });

    // The double compares every point, so nothing may be missing.
    expect(await measureRecall(store, vectors)).toBe(1);
    expect(await measureRecall(store, vectors, { filter: { cluster: 3 } })).toBe(1);
    expect(await measureRecall(store, vectors, { filter: { part: 3 } })).toBe(1);
    await store.close();
  });
});
