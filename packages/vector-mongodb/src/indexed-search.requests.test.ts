import type { VectorSearchQuery } from "@troupe/core/vector";
import { describe, expect, it, vi } from "vitest";
import { ExactFinder, scan } from "./exact-search.ts";
import { IndexedFinder } from "./indexed-search.ts";
import type { SearchIndexes } from "./search-indexes.ts";
import { MemoryVectors } from "./test/memory-vectors.ts";
import { writeChange } from "./write-change.ts";

const search = (topK: number): VectorSearchQuery => ({
  vector: Float32Array.of(0, 2),
  length: 2,
  topK,
  minScore: -Infinity,
  filter: {},
});

/** A finder over a collection of so many documents, all of which the index shows. */
async function start(count: number, { isReady = async () => await Promise.resolve(true) } = {}) {
  const memory = new MemoryVectors();
  const vectors = memory.open;
  const checkDimensions = vi.fn<SearchIndexes["checkDimensions"]>();
  const asked = vi.fn<SearchIndexes["isReady"]>(isReady);
  const indexes = { isReady: asked, checkDimensions, doubt: () => {} } as unknown as SearchIndexes;
  const finder = new IndexedFinder(vectors, { exact: new ExactFinder(vectors, scan), indexes });
  const documents = Array.from({ length: count }, (_, index) => ({
    id: `${index}`,
    content: "",
    vector: Float32Array.of(0, 1),
    length: 1,
  }));
  await writeChange(vectors, { path: "p", change: { documents, deletedIds: [], deletedWhere: undefined } });
  memory.refresh();
  return { memory, finder, checkDimensions, asked };
}

describe("IndexedFinder", () => {
  it("asks for the change first, then for twice the results and 10, of 20 candidates each but at least 200", async () => {
    const { memory, finder } = await start(30);
    for (const topK of [1, 5, 6000]) await finder.find("p", search(topK));
    const [{ scope } = { scope: "" }] = memory.catalog.rows as unknown as { scope: string }[];

    expect(
      memory.asked.map(({ filter, limit, numCandidates }) => [filter, limit, numCandidates] as unknown[]),
    ).toStrictEqual([
      [{ $and: [{ scope }, { lastOf: 1 }] }, 1, 200],
      [{ $and: [{ scope }] }, 12, 240],
      [{ $and: [{ scope }] }, 20, 400],
      [{ $and: [{ scope }] }, 10_000, 10_000],
    ]);
    expect(memory.asked[0]).toMatchObject({ index: "troupe_vector2", path: "vector2" });
  });

  it("asks for the last documents of the changes that are 0, 10, 100, 1000 and 10000 old", async () => {
    const { memory, finder } = await start(9);
    const changes = [2, 3, 9002, 9003, 9902, 9903, 9992, 9993, 10_002];
    memory.documents.rows = memory.documents.rows.map((row, index) => ({ ...row, lastOf: changes[index] }));
    memory.catalog.rows = memory.catalog.rows.map((row) => ({ ...row, changes: 10_002 }));
    await finder.find("p", search(1));
    const markers = memory.asked.flatMap(
      ({ filter }) => (filter as { $and: { lastOf?: number }[] }).$and[1]?.lastOf ?? [],
    );

    expect(markers).toEqual([10_002, 9992, 9902, 9002, 2]);
  });

  it("asks about no change that it knows to be in the index", async () => {
    const { memory, finder } = await start(9);
    await finder.find("p", search(1));
    memory.asked.length = 0;
    // Nothing of the later changes is left, so that the newest change with a document is one that the index has shown.
    memory.catalog.rows = memory.catalog.rows.map((row) => ({ ...row, changes: 3 }));
    await finder.find("p", search(1));

    expect(memory.asked.map(({ limit }) => limit as unknown)).toEqual([12]);
  });

  it("lets its indexes check the dimensions of what is written", async () => {
    const { finder, checkDimensions } = await start(0);
    const tooLong = new Error("too long");
    checkDimensions.mockImplementation(() => {
      throw tooLong;
    });

    expect(() => finder.checkDimensions(9000)).toThrow(tooLong);
    expect(checkDimensions.mock.calls).toEqual([[9000]]);
  });

  it("waits for the look at the index that a stored change begins, and drops its failure", async () => {
    const { promise, reject } = Promise.withResolvers<boolean>();
    const { finder, asked } = await start(0, { isReady: () => promise });
    let isPrepared = false;
    const preparing = finder.prepare(3).then(() => (isPrepared = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect([asked.mock.calls, isPrepared]).toEqual([[[3]], false]);
    reject(new Error("lost"));

    expect(await preparing).toBe(true);
  });
});
