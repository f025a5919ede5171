import type { VectorSearchQuery } from "@troupe/core/vector";
import { Binary } from "mongodb";
import { describe, expect, it } from "vitest";
import { compareInServer, ExactFinder, readEntry, readFound, readVector, scan } from "./exact-search.ts";
import type { SessionVectors } from "./in-one-step.ts";
import { keyOf } from "./stored-vector.ts";
import type { CatalogEntry, StoredVector } from "./stored-vector.ts";

const binary = (...numbers: number[]) => Binary.fromFloat32Array(Float32Array.from(numbers));
const stored = (id: string, vector: readonly number[], more: Partial<StoredVector> = {}): StoredVector => ({
  _id: `s/${id}`,
  scope: "s",
  id,
  content: `content of ${id}`,
  terms: [],
  change: 1,
  length: Math.hypot(...vector),
  [`vector${vector.length}`]: binary(...vector),
  ...more,
});
const search = (more: Partial<VectorSearchQuery> = {}): VectorSearchQuery => ({
  vector: Float32Array.of(3, 4),
  length: 5,
  topK: 10,
  minScore: -Infinity,
  filter: {},
  ...more,
});

/** Collections that answer each request with these documents and this entry, and keep what they were asked. */
function start(given: { found?: readonly object[]; entry?: Partial<CatalogEntry> | null } = {}) {
  const { found = [], entry = null } = given;
  const asked: unknown[] = [];
  const events: string[] = [];
  const session = { endSession: async () => void events.push(await Promise.resolve("end")) };
  const documents = {
    find: (...request: unknown[]) => {
      asked.push(request);
      return found.values();
    },
    aggregate: (...request: unknown[]) => {
      asked.push(request);
      return { toArray: async () => await Promise.resolve(found) };
    },
  };
  const catalog = {
    findOne: async (...request: unknown[]) => {
      asked.push(request);
      return await Promise.resolve(entry);
    },
  };
  const vectors = {
    documents,
    catalog,
    session,
    startSession: () => session,
    isStandalone: true,
    timeoutMs: 50,
    toBinary: (vector: Float32Array) => Binary.fromFloat32Array(vector),
  };
  return { vectors: vectors as unknown as SessionVectors, asked, events, session };
}

describe("scan", () => {
  it("reads ids, lengths and the vectors of the query's dimensions, 1000 at once", async () => {
    const { vectors, asked, session } = start();
    const among = { scope: "s" };

    expect(await scan(vectors, { ...search(), among })).toEqual([]);
    expect(asked).toEqual([[among, { session, projection: { id: 1, length: 1, vector2: 1 }, batchSize: 1000 }]]);
  });

  it("returns the nearest first, by cosines, with no document further than minScore", async () => {
    const found = [stored("b", [30, 40]), stored("c", [-3, -4]), stored("a", [3, 4]), stored("d", [5, 0])];
    const { vectors } = start({ found });
    const item = (id: string) => ({ _id: `s/${id}`, id });

    expect(await scan(vectors, { ...search(), among: {} })).toEqual([
      { item: item("a"), score: 1 },
      { item: item("b"), score: 1 },
      { item: item("d"), score: Math.fround(0.6) },
      { item: item("c"), score: -1 },
    ]);
    const near = await scan(vectors, { ...search({ minScore: Math.fround(0.6) }), among: {} });
    expect(near.map(({ item: { id } }) => id)).toEqual(["a", "b", "d"]);
    const one = await scan(vectors, { ...search({ topK: 1 }), among: {} });
    expect(one.map(({ item: { id } }) => id)).toEqual(["a"]);
  });

  it("takes the stored length, not that of the vector", async () => {
    const { vectors } = start({ found: [stored("a", [3, 4], { length: 10 })] });

    expect((await scan(vectors, { ...search(), among: {} }))[0]?.score).toBe(0.5);
  });
});

describe("compareInServer", () => {
  it("asks for the cosines with the unit vector, the nearest first and then by ids, and may use the disk", async () => {
    const { vectors, asked, session } = start({ found: [{ _id: "s/a", id: "a", score: 0.5 }] });
    const among = { scope: "s" };

    expect(await compareInServer(vectors, { ...search({ topK: 7 }), among })).toEqual([
      { item: { _id: "s/a", id: "a" }, score: 0.5 },
    ]);
    expect(asked).toEqual([
      [
        [
          { $match: among },
          { $project: { id: 1, score: { $similarityCosine: ["$vector2", binary(0.6, 0.8)] } } },
          { $sort: { score: -1, id: 1 } },
          { $limit: 7 },
        ],
        { session, allowDiskUse: true },
      ],
    ]);
    expect(JSON.stringify(asked)).toContain('{"score":-1,"id":1}');
  });
});

describe("ExactFinder", () => {
  const entry = { _id: keyOf("p"), path: "p", scope: "s", changes: 1, dimensions: 2 };

  it.each([null, { ...entry, dimensions: undefined }])(
    "finds nothing in a collection with the entry %j",
    async (given) => {
      const { vectors, asked, events, session } = start({ entry: given as Partial<CatalogEntry> | null });

      expect(await new ExactFinder(vectors, scan).find("p", search())).toEqual([]);
      expect(asked).toEqual([[{ _id: keyOf("p") }, { session }]]);
      expect(events).toEqual(["end"]);
    },
  );

  it("refuses a vector of other dimensions before it compares any", async () => {
    const { vectors, asked, events } = start({ entry: { ...entry, dimensions: 3 } });

    await expect(new ExactFinder(vectors, scan).find("p", search())).rejects.toMatchObject({
      code: "invalid_value",
      message: expect.stringContaining("must have 3 numbers, as the store's vectors, got 2") as unknown,
    });
    expect([asked.length, events]).toEqual([1, ["end"]]);
  });

  it("compares all documents of the scope that match the filter, in one session, and reads what was found", async () => {
    const { vectors, asked, session } = start({ found: [stored("a", [3, 4], { metadata: '{"n":1}' })], entry });
    const finder = new ExactFinder(vectors, scan);

    expect(await finder.find("p", search())).toEqual([
      { document: { id: "a", content: "content of a", metadata: { n: 1 } }, score: 1 },
    ]);
    expect(asked).toEqual([
      [{ _id: keyOf("p") }, { session }],
      [{ _id: { $gte: "s/", $lt: "s0" } }, expect.objectContaining({ session })],
      [{ _id: { $in: ["s/a"] } }, { session, projection: { id: 1, content: 1, metadata: 1 } }],
    ]);
    await finder.find("p", search({ filter: { n: 1 } }));
    expect(asked[4]).toMatchObject([{ scope: "s", terms: expect.any(String) as unknown }, { session }]);
  });
});

describe("readFound", () => {
  it.each([
    [0, []],
    [1000, [1000]],
    [1001, [1000, 1]],
  ])("reads %d documents in requests of at most 1000", async (count, sizes) => {
    const { vectors, asked } = start();
    const found = Array.from({ length: count }, (_, index) => ({ item: { _id: `${index}`, id: "" }, score: 0 }));

    expect(await readFound(vectors, found)).toEqual([]);
    expect(asked.map((request) => (request as [{ _id: { $in: unknown[] } }])[0]._id.$in.length)).toEqual(sizes);
  });

  it("leaves out a document that is no longer there, and takes each score by its _id", async () => {
    const { vectors } = start({ found: [stored("b", [1]), stored("a", [1])] });
    const found = ["a", "gone", "b"].map((id, index) => ({ item: { _id: `s/${id}`, id }, score: index }));

    expect((await readFound(vectors, found)).map(({ document, score }) => [document.id, score])).toEqual([
      ["b", 2],
      ["a", 0],
    ]);
  });
});

describe("readEntry and readVector", () => {
  it("read an entry without a session where there is none", async () => {
    const { vectors, asked } = start({ entry: { path: "p" } });
    const { session: _, ...outside } = vectors;

    expect(await readEntry(outside, "p")).toEqual({ path: "p" });
    expect(asked).toStrictEqual([[{ _id: keyOf("p") }, {}]]);
  });

  it("read the numbers of a vector, none of a missing one", () => {
    expect(readVector(binary(1, -0.5))).toEqual(Float32Array.of(1, -0.5));
    expect(readVector(undefined)).toEqual(new Float32Array());
  });
});
