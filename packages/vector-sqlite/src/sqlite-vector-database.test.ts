import { DatabaseSync } from "node:sqlite";
import { metadataTerms } from "@troupe/core/vector";
import type { StoredDocument } from "@troupe/core/vector";
import { describe, expect, it, onTestFinished } from "vitest";
import { useVectorFiles } from "../test/stores.ts";
import { hashOf } from "./collection-keys.ts";
import { SqliteVectorDatabase } from "./sqlite-vector-database.ts";
import { VectorFile } from "./vector-file.ts";

const newVectorFile = useVectorFiles();

/** Opens a database with its file, and a connection that looks at its tables. */
async function open() {
  const path = newVectorFile();
  const settings = { durability: "normal", busyTimeoutMs: 5000, table: "t", warn: () => {} } as const;
  const database = new SqliteVectorDatabase(await VectorFile.open(path, settings));
  const own = new DatabaseSync(path);
  onTestFinished(async () => {
    own.close();
    await database.close();
  });
  const rows = (sql: string) =>
    own
      .prepare(sql)
      .all()
      .map((row) => Object.values(row));
  return { path, database, own, rows };
}

const at = (id: string, vector: readonly number[], metadata?: Record<string, unknown>): StoredDocument => ({
  id,
  content: `content of ${id}`,
  vector: Float32Array.from(vector),
  length: Math.hypot(...vector),
  ...(metadata && { metadata }),
});

const storing = (...documents: StoredDocument[]) => ({ documents, deletedIds: [], deletedWhere: undefined });
const first = 2 ** 32;
const searchFor = (vector: readonly number[], more = {}) => ({
  vector: Float32Array.from(vector),
  length: Math.hypot(...vector),
  topK: 10,
  minScore: -Infinity,
  filter: {},
  ...more,
});

describe("SqliteVectorDatabase", () => {
  it("stores documents under keys that follow each other, with their dimensions, metadata and terms", async () => {
    const { database, rows } = await open();
    const metadata = { tag: { x: 1 } };
    await database.write("p", storing(at("a", [3, 4], metadata), at("b", [1, 0])));
    await database.write("p", storing(at("c", [0, 1])));

    expect(rows("select number, path, dimensions, model from t_collections")).toEqual([[1, "p", 2, null]]);
    expect(rows("select key, collection, id, vector from t order by key")).toEqual([
      [first, 1, "a", new Uint8Array(Float32Array.of(3, 4).buffer)],
      [first + 1, 1, "b", new Uint8Array(Float32Array.of(1, 0).buffer)],
      [first + 2, 1, "c", new Uint8Array(Float32Array.of(0, 1).buffer)],
    ]);
    expect(rows("select * from t_documents order by key")).toEqual([
      [first, "content of a", '{"tag":{"x":1}}', null],
      [first + 1, "content of b", null, null],
      [first + 2, "content of c", null, null],
    ]);
    expect(rows("select term, key from t_terms order by term")).toEqual(
      metadataTerms(metadata)
        .map(hashOf)
        .toSorted()
        .map((term) => [term, first]),
    );
  });

  it("replaces a document under its key, with its content and terms", async () => {
    const { database, rows } = await open();
    await database.write("p", storing(at("a", [1, 0], { old: 1 }), at("b", [1, 0])));
    await database.write("p", storing(at("a", [0, 1], { new: 1 })));

    expect(rows("select key, id from t order by key")).toEqual([
      [first, "a"],
      [first + 1, "b"],
    ]);
    expect(rows("select term, key from t_terms order by term")).toEqual([[hashOf('"new":1'), first]]);
  });

  it("deletes before it stores, so that a document of the same change stays", async () => {
    const { database, rows } = await open();
    await database.write("p", storing(at("a", [1, 0], { old: 1 }), at("b", [1, 0])));
    const change = { documents: [at("a", [0, 1], { old: 1 })], deletedIds: ["a", "none"], deletedWhere: { old: 1 } };
    await database.write("p", change);

    expect(rows("select key, id from t order by id")).toEqual([
      [first + 2, "a"],
      [first + 1, "b"],
    ]);
  });

  it.each([
    [[1e-12, 0], true],
    [[2e-12, 0], false],
    [[0.9e12, 0], false],
    [[1e12, 0], true],
  ])("keeps the vector %j beside that of the length 1: %j", async (vector, isKept) => {
    const { database, rows } = await open();
    await database.write("p", storing({ ...at("a", vector), length: vector[0] ?? 0 }));

    const bytes = new Uint8Array(Float32Array.from(vector).buffer);
    const unit = new Uint8Array(Float32Array.of(Math.fround(Math.fround(vector[0] ?? 0) / (vector[0] ?? 0)), 0).buffer);
    expect(rows("select v.vector, d.original from t v join t_documents d on d.key = v.key")).toEqual([
      isKept ? [unit, bytes] : [bytes, null],
    ]);
  });

  it("refuses a vector of another length than the first of the change, or of the collection, and keeps nothing", async () => {
    const { database, rows } = await open();
    const two = {
      code: "invalid_value",
      message: "The embedding must have 2 numbers, as the store's vectors, got 3.",
    };

    await expect(database.write("p", storing(at("a", [1, 0]), at("b", [1, 0, 0])))).rejects.toMatchObject(two);
    expect(rows("select * from t_collections")).toEqual([]);
    await database.write("p", storing(at("a", [1, 0])));
    await expect(database.write("p", storing(at("b", [1, 0, 0])))).rejects.toMatchObject(two);
    await expect(database.search("p", searchFor([1, 0, 0]))).rejects.toMatchObject(two);
    expect(rows("select id from t")).toEqual([["a"]]);
  });

  it("adds no collection for a change that only deletes, and keeps the dimensions of one that became empty", async () => {
    const { database, rows } = await open();
    await database.write("p", { documents: [], deletedIds: ["a"], deletedWhere: { a: 1 } });
    expect(rows("select * from t_collections")).toEqual([]);
    await database.write("p", storing(at("a", [1, 0])));
    await database.write("p", { documents: [], deletedIds: ["a"], deletedWhere: undefined });

    expect(rows("select dimensions from t_collections")).toEqual([[2]]);
    expect([await database.get("p", "a"), await database.search("p", searchFor([1, 0]))]).toEqual([null, []]);
  });

  it("returns whole documents, best first, equal scores by id, up to topK and down to minScore", async () => {
    const { database } = await open();
    await database.write("p", storing(at("c", [1, 0]), at("b", [2, 0], { n: 1 }), at("a", [0, 1]), at("d", [-1, 0])));
    const b = { document: { id: "b", content: "content of b", metadata: { n: 1 } }, score: 1 };
    const c = { document: { id: "c", content: "content of c" }, score: 1 };
    const a = { document: { id: "a", content: "content of a" }, score: 0 };
    const d = { document: { id: "d", content: "content of d" }, score: -1 };

    expect(await database.search("p", searchFor([5, 0]))).toEqual([b, c, a, d]);
    expect(await database.search("p", searchFor([5, 0], { topK: 1 }))).toEqual([b]);
    expect(await database.search("p", searchFor([5, 0], { minScore: 0 }))).toEqual([b, c, a]);
    expect(await database.search("p", searchFor([5, 0], { minScore: 0.5 }))).toEqual([b, c]);
    expect(await database.search("p", searchFor([5, 0], { filter: { n: 1 } }))).toEqual([b]);
    expect(await database.search("q", searchFor([5, 0]))).toEqual([]);
  });

  it("remembers the first model of a collection, also of two at once, and after documents came or went", async () => {
    const { database, rows } = await open();

    const models = ["m", "n"].map((model) => database.rememberModel("p", model));
    expect(await Promise.all(models)).toEqual(["m", "m"]);
    await database.write("p", storing(at("a", [1, 0])));
    expect(await database.rememberModel("p", "n")).toBe("m");
    await database.write("q", storing(at("a", [1, 0])));
    expect(await database.rememberModel("q", "n")).toBe("n");
    expect(rows("select number, path, dimensions, model from t_collections")).toEqual([
      [1, "p", 2, "m"],
      [2, "q", 2, "n"],
    ]);
    await database.clear("p");
    expect(await database.rememberModel("p", "o")).toBe("o");
  });

  it("clears one collection alone, also one that was never written, and takes other vectors then", async () => {
    const { database, rows } = await open();
    await database.write("p", storing(at("a", [1, 0], { n: 1 })));
    await database.write("q", storing(at("a", [1, 0], { n: 1 })));
    await database.clear("p");
    await database.clear("never");

    expect(rows("select path from t_collections")).toEqual([["q"]]);
    expect(["t", "t_documents", "t_terms"].map((table) => rows(`select key from ${table}`))).toEqual([
      [[2 * first]],
      [[2 * first]],
      [[2 * first]],
    ]);
    await database.write("p", storing(at("a", [1, 0, 0])));
    expect(await database.get("p", "a")).toEqual({ id: "a", content: "content of a", embedding: [1, 0, 0] });
  });

  it("says which file holds a damaged document, whether of metadata or of a vector", async () => {
    const { path, database, own } = await open();
    const damaged = {
      code: "storage_corrupt",
      message: `The SQLite file ${path} holds a damaged document. Replace it with an intact copy.`,
    };
    await database.write("p", storing(at("a", [1, 0], { n: 1 })));
    own.exec(`update t_documents set metadata = '{'`);
    await expect(database.get("p", "a")).rejects.toMatchObject({ ...damaged, cause: expect.any(SyntaxError) });
    own.exec("delete from t_documents");

    await expect(database.search("p", searchFor([1, 0]))).rejects.toMatchObject(damaged);
    expect(await database.get("p", "a")).toBeNull();
  });
});
