import type { StoredDocument } from "@troupe/core/vector";
import type { Document } from "mongodb";
import { describe, expect, it, vi } from "vitest";
import type { OpenVectors } from "./open-vectors.ts";
import { inScope, keyOf, toStored } from "./stored-vector.ts";
import { newEntry, writeChange } from "./write-change.ts";

const at = (id: string, vector: readonly number[] = [1, 0], metadata?: Record<string, unknown>): StoredDocument => ({
  id,
  content: `of ${id}`,
  vector: Float32Array.from(vector),
  length: 1,
  ...(metadata && { metadata }),
});

const entry = { _id: keyOf("p"), path: "p", scope: "s", changes: 4, dimensions: 2, model: "m" };
const toBinary = ((vector: Float32Array) => [...vector]) as unknown as OpenVectors["toBinary"];

/** A standalone server with this entry in its catalog, that counts a change as often as `counted` says; keeps what was sent. */
function start(found: Document | null, { matching = [] as Document[], counted = [1] } = {}) {
  const sent: unknown[] = [];
  const keep =
    (result: unknown) =>
    async (...given: unknown[]) => {
      sent.push(given.slice(0, -1));
      // A request outside the session would be outside its transaction.
      expect(given.at(-1)).toMatchObject({ session });
      return await Promise.resolve(typeof result === "function" ? (result as () => unknown)() : result);
    };
  const session = { endSession: async () => void sent.push(await Promise.resolve("end")) };
  const find = (...given: unknown[]) => ({ toArray: async () => (await keep(matching)(...given)) as Document[] });
  const vectors = {
    catalog: {
      findOne: keep(found),
      insertOne: keep({}),
      updateOne: keep(() => ({ matchedCount: counted.shift() ?? 1 })),
    },
    documents: { find, deleteMany: keep({}), bulkWrite: keep({}) },
    timeoutMs: 1000,
    isStandalone: true,
    toBinary,
    startSession: () => session,
  } as unknown as OpenVectors;
  return { vectors, sent };
}

const look = [{ _id: keyOf("p") }];
const replacing = (document: StoredDocument, change: number, more = {}) => {
  const stored = toStored(document, { scope: "s", change, toBinary });
  return { replaceOne: { filter: { _id: stored._id }, replacement: { ...stored, ...more }, upsert: true } };
};
const storing = (...documents: StoredDocument[]) => ({ documents, deletedIds: [], deletedWhere: undefined });

describe("newEntry", () => {
  it("has the hash of the path, a scope of its own each time, and no change", () => {
    const [one, other] = [newEntry("p"), newEntry("p")];

    expect(one).toEqual({
      _id: keyOf("p"),
      path: "p",
      scope: expect.stringContaining(`${keyOf("p")}.`),
      changes: 0,
      hasWords: true,
    });
    expect(one.scope).not.toBe(other.scope);
  });
});

describe("writeChange", () => {
  it("counts, stores, then deletes by ids and by filter what earlier changes stored, all in one session", async () => {
    const matching = [
      { _id: "s/old", change: 3 },
      { _id: "s/b", change: 5 },
      // Without transactions, another process may have counted and stored its change meanwhile.
      { _id: "s/later", change: 6 },
    ];
    const { vectors, sent } = start(entry, { matching });
    const documents = [at("a"), at("b", [0, 1], { n: 1 })];
    const change = { documents, deletedIds: ["x"], deletedWhere: { n: 1 } };

    expect(await writeChange(vectors, { path: "p", change })).toEqual({ ...entry, changes: 5 });
    expect(sent).toEqual([
      look,
      [{ _id: keyOf("p"), scope: "s", changes: 4 }, { $set: { changes: 5, dimensions: 2 } }],
      [[replacing(at("a"), 5), replacing(at("b", [0, 1], { n: 1 }), 5, { lastOf: 5 })]],
      [inScope("s", { n: 1 })],
      [{ _id: { $in: ["s/x", "s/old"] } }],
      "end",
    ]);
  });

  it("enters a new collection with its first change and dimensions", async () => {
    const { vectors, sent } = start(null);
    const written = await writeChange(vectors, { path: "p", change: storing(at("a", [1, 0, 0])) });

    expect(written).toEqual({ ...newEntry("p"), scope: written?.scope, changes: 1, dimensions: 3 });
    expect(sent.slice(0, 2)).toEqual([look, [written]]);
  });

  it("stores nothing where the entry of a new collection is refused", async () => {
    const { vectors, sent } = start(null);
    vi.spyOn(vectors.catalog, "insertOne").mockRejectedValue(new Error("no"));

    await expect(writeChange(vectors, { path: "p", change: storing(at("a")) })).rejects.toThrow("no");
    expect(sent).toEqual([look, "end"]);
  });

  it("gives dimensions to a collection that has only a model", async () => {
    const { dimensions: _, ...without } = entry;
    const { vectors, sent } = start(without);
    await writeChange(vectors, { path: "p", change: storing(at("a", [1, 0, 0])) });

    expect(sent[1]).toEqual([{ _id: keyOf("p"), scope: "s", changes: 4 }, { $set: { changes: 5, dimensions: 3 } }]);
  });

  it("writes nothing when it only removes from a collection that does not exist", async () => {
    const { vectors, sent } = start(null);
    const change = { documents: [], deletedIds: ["a"], deletedWhere: { n: 1 } };

    expect(await writeChange(vectors, { path: "p", change })).toBeNull();
    expect(sent).toEqual([look, "end"]);
  });

  it("writes nothing when one of its documents has another length", async () => {
    const { vectors, sent } = start(entry);

    await expect(writeChange(vectors, { path: "p", change: storing(at("a"), at("b", [1])) })).rejects.toMatchObject({
      code: "invalid_value",
      message: "The embedding must have 2 numbers, as the store's vectors, got 1.",
    });
    expect(sent).toEqual([look, "end"]);
  });

  it("reads the catalog anew when another change was counted meanwhile, and stores once", async () => {
    const { vectors, sent } = start(entry, { counted: [0, 1] });
    await writeChange(vectors, { path: "p", change: storing(at("a")) });
    const count = [{ _id: keyOf("p"), scope: "s", changes: 4 }, { $set: { changes: 5, dimensions: 2 } }];

    expect(sent).toEqual([look, count, look, count, [[replacing(at("a"), 5, { lastOf: 5 })]], "end"]);
  });

  it.each([
    [1000, [1000]],
    [1001, [1000, 1]],
    [2000, [1000, 1000]],
  ])(
    "stores and deletes %i documents in requests of %j, of which the last one of all is marked",
    async (count, parts) => {
      const ids = Array.from({ length: count }, (_, index) => `d${index}`);
      const { vectors, sent } = start(entry);
      const documents = ids.map((id) => at(id));
      await writeChange(vectors, { path: "p", change: { documents, deletedIds: ids, deletedWhere: undefined } });
      const requests = sent.slice(2, -1) as unknown[][];
      const stored = requests
        .slice(0, parts.length)
        .map(([operations]) => operations as ReturnType<typeof replacing>[]);
      const deleted = requests.slice(parts.length).map(([filter]) => (filter as { _id: { $in: string[] } })._id.$in);

      expect([stored, deleted].map((each) => each.map(({ length }) => length))).toEqual([parts, parts]);
      expect(deleted.flat()).toEqual(ids.map((id) => `s/${id}`));
      expect(
        stored.flat().flatMap(({ replaceOne }) => ("lastOf" in replaceOne.replacement ? [replaceOne.filter] : [])),
      ).toEqual([{ _id: `s/d${count - 1}` }]);
    },
  );
});
