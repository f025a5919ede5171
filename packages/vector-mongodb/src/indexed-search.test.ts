import type { VectorSearchResult } from "@troupe/core";
import type { StoredDocument, VectorSearchQuery } from "@troupe/core/vector";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ExactFinder, scan } from "./exact-search.ts";
import { IndexedFinder } from "./indexed-search.ts";
import type { SearchIndexes } from "./search-indexes.ts";
import { MemoryVectors } from "./test/memory-vectors.ts";
import { writeChange } from "./write-change.ts";

type Metadata = Record<string, unknown>;

/** A document at this angle from the searches of this file, in degrees. */
const at = (id: string, degrees: number, metadata?: Metadata): StoredDocument => {
  const angle = (degrees * Math.PI) / 180;
  const vector = Float32Array.of(Math.cos(angle), Math.sin(angle));
  return { id, content: `content of ${id}`, vector, length: 1, ...(metadata && { metadata }) };
};
/** Documents, the nearest first. Only angles below 0.1 are nearer. */
const many = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => at(`${prefix}${index}`, (index + 1) / 10));
const search = (topK: number, more: Partial<VectorSearchQuery> = {}): VectorSearchQuery => ({
  vector: Float32Array.of(1, 0),
  length: 1,
  topK,
  minScore: -Infinity,
  filter: {},
  ...more,
});
const idsOf = (found: readonly VectorSearchResult[]) =>
  found.toSorted((one, other) => other.score - one.score).map(({ document }) => document.id);

function create({ isReady = true } = {}) {
  const memory = new MemoryVectors();
  const vectors = memory.open;
  const doubt = vi.fn<SearchIndexes["doubt"]>();
  const indexes = { isReady: () => Promise.resolve(isReady), doubt } as unknown as SearchIndexes;
  const exact = new ExactFinder(vectors, scan);
  const compareAll = vi.spyOn(exact, "find");
  onTestFinished(() => compareAll.mockRestore());
  const finder = new IndexedFinder(vectors, { exact, indexes });
  const write = async (documents: readonly StoredDocument[], deletedIds: string[] = [], path = "") =>
    void (await writeChange(vectors, { path, change: { documents, deletedIds, deletedWhere: undefined } }));
  const find = async (topK: number, { path = "", ...more }: Partial<VectorSearchQuery> & { path?: string } = {}) =>
    idsOf(await finder.find(path, search(topK, more)));
  return { memory, finder, write, find, doubt, compareAll };
}

describe("IndexedFinder", () => {
  it("takes the index's answer without comparing all documents", async () => {
    const { memory, write, find, compareAll } = create();
    await write(many("d", 30));
    memory.refresh();

    expect(await find(3)).toEqual(["d0", "d1", "d2"]);
    expect(compareAll).not.toHaveBeenCalled();
  });

  it("finds what was written after the index's state, also where another collection is at the same change", async () => {
    const { memory, write, find } = create();
    await write(many("other", 30), [], "other");
    await write(many("other", 30), [], "other");
    await write(many("old", 30));
    memory.refresh();
    expect(await find(2)).toEqual(["old0", "old1"]);
    // Change 2 of this collection. The index shows the one of the other.
    await write([at("new", 0)]);

    expect(await find(2)).toEqual(["new", "old0"]);
    expect(await find(2, { path: "other" })).toEqual(["other0", "other1"]);
  });

  it("knows how far the index is by the collection's own changes, whatever others there are", async () => {
    const { memory, write, find, compareAll } = create();
    await write(many("d", 30));
    await write([], ["none"]);
    await write([], ["none"]);
    for (let change = 1; change < 5; change++) await write(many(`other ${change} `, 1), [], "other");
    memory.refresh();

    expect(await find(2)).toEqual(["d0", "d1"]);
    expect(compareAll).not.toHaveBeenCalled();
  });

  it("finds a document where it is now, and not where the index has it", async () => {
    const { memory, write, find } = create();
    await write(many("d", 30));
    memory.refresh();
    expect(await find(1)).toEqual(["d0"]);
    await write([at("d0", 80), at("d29", 0)]);

    expect(await find(2)).toEqual(["d29", "d1"]);
  });

  it.each([
    ["removed", []],
    ["replaced", many("d", 40).map(({ id }) => at(id, 170))],
  ])(
    "finds topK documents when more of the nearest were %s than the index was asked for",
    async (_title, replacing) => {
      const { memory, write, find } = create();
      await write(many("d", 60));
      memory.refresh();
      expect(await find(2)).toEqual(["d0", "d1"]);
      const removed = replacing.length > 0 ? [] : many("d", 40).map(({ id }) => id);
      await write(replacing, removed);

      expect(await find(5)).toEqual(["d40", "d41", "d42", "d43", "d44"]);
    },
  );

  it.each([
    [11, 0],
    [12, 1],
  ])(
    "IndexedFinder with %i of the index's 12 results replaced compares all documents %i times",
    async (replaced, times) => {
      const { memory, write, find, compareAll } = create();
      await write(many("d", 60));
      memory.refresh();
      await find(1);
      await write(many("d", replaced).map(({ id }) => at(id, 170)));

      expect(await find(1)).toEqual([`d${replaced}`]);
      expect(memory.asked.at(-1)).toMatchObject({ limit: 12 });
      expect(compareAll).toHaveBeenCalledTimes(times);
    },
  );

  it.each([1, 10, 90, 91, 245, 246, 500, 501, 4995, 4996, 10_000])(
    "asks the index for the results of a topK of %i within its bounds",
    async (topK) => {
      const { memory, write, find } = create();
      await write(many("d", 3));
      memory.refresh();

      expect(await find(topK)).toEqual(["d0", "d1", "d2"].slice(0, topK));
      const limit = Math.min(2 * topK + 10, 10_000);
      const numCandidates = Math.min(Math.max(20 * limit, 200), 10_000);
      expect(memory.asked.at(-1)).toMatchObject({ index: "troupe_vector2", path: "vector2", limit, numCandidates });
    },
  );

  it("asks how far the index is only after a change, and only with documents of that collection", async () => {
    const { memory, write, find } = create();
    await write(many("d", 30));
    await write(many("other", 30), [], "other");
    memory.refresh();
    for (let round = 0; round < 3; round++) await find(2);
    // One for the progress, and one for each search.
    expect(memory.asked).toHaveLength(4);
    const [progress] = memory.asked;
    expect(progress).toMatchObject({ limit: 1, filter: { $and: [{ scope: expect.any(String) }, { lastOf: 1 }] } });
    await write([at("new", 0)]);
    memory.asked.length = 0;
    await find(2);
    memory.refresh();
    await find(2);
    await find(2);

    const progresses = memory.asked.filter(({ limit }) => limit === 1).map(({ filter }) => JSON.stringify(filter));
    expect(progresses).toEqual([expect.stringContaining('{"lastOf":2}'), expect.stringContaining('{"lastOf":2}')]);
  });

  it.each([
    // The index shows change 15, and is asked about the newest one and that of 10 before.
    ["shows the change of 10 before", 25, 0],
    ["shows neither the newest change nor that of 10 before", 26, 1],
  ])(
    "IndexedFinder when the index %s, of %i changes, compares all documents %i times",
    async (_title, changes, times) => {
      const { memory, write, find, compareAll } = create();
      for (let change = 1; change < changes; change++) {
        await write([at(`d${change}`, change < 16 ? change : 90 + change)]);
        if (change === 15) memory.refresh();
      }
      await write([at("new", 0)], ["d1"]);

      expect(await find(3)).toEqual(["new", "d2", "d3"]);
      expect(compareAll).toHaveBeenCalledTimes(times);
      memory.refresh();
      expect(await find(3)).toEqual(["new", "d2", "d3"]);
      expect(compareAll).toHaveBeenCalledTimes(times);
    },
  );

  it("applies filter and minScore to what the index shows and to the rest", async () => {
    const { memory, write, find, compareAll } = create();
    const documents = ["a", "b"].flatMap((kind) =>
      many(kind, 20).map((document) => ({
        ...document,
        metadata: { kind, even: Number(document.id.slice(1)) % 2 === 0 },
      })),
    );
    await write(documents);
    memory.refresh();
    await find(1);
    await write([at("a-new", 0.05, { kind: "a", even: true }), at("b-new", 0, { kind: "b", even: true })]);

    expect(await find(3, { filter: { kind: "a", even: true } })).toEqual(["a-new", "a0", "a2"]);
    const minScore = Math.cos((0.25 * Math.PI) / 180);
    expect(await find(5, { filter: { kind: "a" }, minScore })).toEqual(["a-new", "a0", "a1"]);
    expect(compareAll).not.toHaveBeenCalled();
    expect(await find(3, { filter: { kind: "c" } })).toEqual([]);
  });

  it("compares all documents for a filter of more than 100 terms, and where the index is not ready", async () => {
    const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, 1]));
    const { memory, write, find, compareAll } = create();
    await write([...many("d", 20), at("a", 0, fields(101))]);
    memory.refresh();
    await find(1, { filter: fields(100) });
    expect(compareAll).not.toHaveBeenCalled();
    const asked = memory.asked.length;
    expect(await find(1, { filter: fields(101) })).toEqual(["a"]);
    expect([asked, memory.asked.length]).toEqual([2, 2]);
    expect(compareAll).toHaveBeenCalledTimes(1);
    const building = create({ isReady: false });
    await building.write(many("d", 20));

    expect(await building.find(2)).toEqual(["d0", "d1"]);
    expect(building.memory.asked).toEqual([]);
  });

  it("doubts an index that found less than there is, and no other", async () => {
    const { memory, write, find, doubt } = create();
    await write(many("d", 5));
    memory.refresh();
    expect(await find(9)).toHaveLength(5);
    expect(doubt).not.toHaveBeenCalled();
    memory.documents.rows = memory.documents.rows.toReversed();
    memory.refresh();
    await write(many("e", 5));
    expect(await find(9)).toHaveLength(9);

    expect(doubt.mock.calls).toEqual([[2]]);
  });

  it("finds nothing in a collection that is empty, was never written, or is cleared while the index answers", async () => {
    const { memory, write, find } = create();
    expect(await find(3)).toEqual([]);
    await write(many("d", 30));
    memory.refresh();
    expect(await find(3, { path: "other" })).toEqual([]);
    memory.meanwhile = async () => await memory.catalog.deleteMany({});

    expect(await find(3)).toEqual([]);
  });

  it("refuses a vector of another length before it asks the index", async () => {
    const { memory, finder, write } = create();
    await write(many("d", 30));
    const vector = Float32Array.of(1, 0, 0);

    await expect(finder.find("", search(1, { vector }))).rejects.toMatchObject({ code: "invalid_value" });
    expect(memory.asked).toEqual([]);
  });
});
