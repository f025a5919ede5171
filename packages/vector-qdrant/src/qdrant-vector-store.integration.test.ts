import { checkHostileStrings, checkTenants, clusteredVectors, measureRecall } from "@troupe-internal/fault-tools";
import { createId } from "@troupe/core/kit";
import {
  checkConformance,
  vectorCollectionCases,
  vectorListCases,
  vectorStoreCases,
  vectorTextCases,
  vectorWriteCases,
} from "@troupe/core/testing";
import { afterAll, describe, expect, it } from "vitest";
import type { QdrantOptions } from "./qdrant-options.ts";
import { QdrantVectorStore } from "./qdrant-vector-store.ts";

const url = process.env["TROUPE_TEST_QDRANT_URL"] ?? "";
/** The number of hostile ids, contents and filters that are tried. */
const hostileCount = Number(process.env["TROUPE_HOSTILE_STRINGS"] ?? 5000);
const run = `test-${createId().slice(-12)}`;
let created = 0;

const createStore = (options: QdrantOptions = {}) =>
  new QdrantVectorStore({ url, prefix: `${run}-${created++}`, ...options });
const dispose = async (store: { close: () => Promise<void> }) => await store.close();

/** A reader may find a part of a change, depending on when it comes: another test shows that. */
const { "shows a reader all of a change or none": _gap, ...writeCases } = vectorWriteCases;

/** All collections of this run, by the names that Qdrant's own list has. */
async function removeCollections(): Promise<void> {
  const listed = (await (await fetch(`${url}/collections`)).json()) as { result: { collections: { name: string }[] } };
  for (const { name } of listed.result.collections) {
    if (name.startsWith(run)) await fetch(`${url}/collections/${name}`, { method: "DELETE" });
  }
}

describe.skipIf(url === "")("QdrantVectorStore on a server", { timeout: 600_000 }, () => {
  afterAll(removeCollections);

  describe.each([
    ["the store", () => createStore({ dimensions: 2 })],
    ["a collection", () => createStore({ dimensions: 2 }).collection("inner")],
  ])("%s", (_name, create) => {
    checkConformance(it, vectorStoreCases, { create, dispose });
    checkConformance(it, vectorCollectionCases, { create, dispose });
    checkConformance(it, vectorListCases, { create, dispose });
    checkConformance(it, vectorTextCases, { create, dispose } as never);
    checkConformance(it, writeCases, { create, dispose });
  });

  it("takes hostile strings literally [qdrant.hostile]", async () => {
    const store = createStore();

    await expect(checkHostileStrings(store, { count: hostileCount })).resolves.toBeUndefined();
    await store.close();
  });

  it("keeps tenants apart [qdrant.tenants]", async () => {
    const store = createStore();

    await expect(checkTenants(store)).resolves.toBeUndefined();
    await store.close();
  });

  it("finds 95 % of the nearest of 10,000 clustered vectors through the index [qdrant.recall]", async () => {
    const prefix = `${run}-recall`;
    const store = createStore({ prefix });
    const vectors = clusteredVectors({ dimensions: 768 });
    await store.write({ upsert: vectors.documents });
    await untilIndexed(prefix);
    const recalls = [];
    for (const filter of [{}, { cluster: 3 }, { part: 3 }])
      recalls.push(await measureRecall(store, vectors, { filter }));
    for (const recall of recalls) expect(recall).toBeGreaterThanOrEqual(0.95);
    await store.close();
  });

  it("returns vectors of length 1, which are not kept twice, exactly [qdrant.exact]", async () => {
    const store = createStore();
    const { documents } = clusteredVectors({ count: 200, dimensions: 384, queries: 1 });
    const unit = documents.map(({ embedding, ...document }) => {
      const length = Math.hypot(...embedding);
      return { ...document, embedding: embedding.map((value) => Math.fround(value / length)) };
    });
    await store.write({ upsert: unit });

    for (const { id, embedding } of unit) expect((await store.get(id))?.embedding).toEqual(embedding);
    await store.close();
  });

  it("takes vectors of 3,072 dimensions", async () => {
    const store = createStore();
    const vectors = clusteredVectors({ count: 300, dimensions: 3072, queries: 5 });
    await store.write({ upsert: vectors.documents });

    expect(await measureRecall(store, vectors)).toBe(1);
    const [document] = vectors.documents;
    expect((await store.get("d0"))?.embedding).toEqual(document?.embedding);
    await store.close();
  });
});

/** Waits until the server has built the index of the one collection whose name begins so. */
async function untilIndexed(prefix: string): Promise<void> {
  const read = async (path: string) => (await (await fetch(`${url}/collections${path}`)).json()) as { result: unknown };
  const { collections } = (await read("")).result as { collections: { name: string }[] };
  const name = collections.find((each) => each.name.startsWith(prefix))?.name ?? "";
  const info = async () => (await read(`/${name}`)).result as { status: string; indexed_vectors_count: number };
  await expect.poll(async () => (await info()).status, { timeout: 300_000, interval: 500 }).toBe("green");
  expect((await info()).indexed_vectors_count).toBeGreaterThan(0);
}
