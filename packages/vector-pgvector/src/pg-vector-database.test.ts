import { createHash } from "node:crypto";
import type { StoredDocument } from "@troupe/core/vector";
import type { Connections, Query } from "@troupe-internal/postgres";
import { describe, expect, it, vi } from "vitest";
import { createTable } from "./collection-table.ts";
import { PgVectorDatabase } from "./pg-vector-database.ts";
import { insertStatements } from "./stored-document.ts";

const key = createHash("sha256").update("c").digest("hex").slice(0, 32);
const names = { schema: "s", table: "t", extensionSchema: "ext" };
const table = `"s"."t_${key}"`;
const flat = (sql: string) => sql.trim().replaceAll(/\s+/g, " ");

const at = (id: string, vector: readonly number[] = [1, 0], metadata?: Record<string, unknown>): StoredDocument => ({
  id,
  content: `of ${id}`,
  vector: Float32Array.from(vector),
  length: Math.hypot(...vector),
  ...(metadata && { metadata }),
});
const storing = (...documents: StoredDocument[]) => ({ documents, deletedIds: [], deletedWhere: undefined });

const look = `select dimensions from "s"."t" where id = $1 and dimensions is not null for key share`;
const enter =
  'insert into "s"."t" as known (id, collection) values ($1, $2) on conflict (id) do update set collection = excluded.collection returning dimensions';
const begin = "begin; set local enable_seqscan = off; set local jit = off";
const none: [string, unknown[]][] = [];

/** A database whose server is the test: rows by the beginning of a statement. Keeps what was sent, and the codes to repeat. */
function start(answers: Readonly<Record<string, object[]>> = {}, exact = false) {
  const sent: [string, readonly unknown[]][] = [];
  const repeated: (readonly string[] | undefined)[] = [];
  const warn = vi.fn<(message: string) => void>();
  const end = vi.fn<() => Promise<void>>().mockResolvedValue();
  const query = (async ({ sql, parameters }) => {
    sent.push([flat(sql), parameters]);
    return await Promise.resolve(Object.entries(answers).find(([words]) => flat(sql).startsWith(words))?.[1] ?? []);
  }) as Query;
  const useRepeatedly = async (work: (given: Query) => Promise<unknown>, codes?: readonly string[]) => {
    repeated.push(codes);
    return await work(query);
  };
  const format = {
    write: (vector: ArrayLike<number>) => JSON.stringify(Array.from(vector)),
    read: (text: string) => JSON.parse(text) as number[],
  };
  const database = new PgVectorDatabase({
    connections: { useRepeatedly } as unknown as Connections,
    end,
    format,
    settings: { schema: "s", table: "t", efSearch: 100, exact, languages: ["english"], logger: { warn } as never },
    extensionSchema: "ext",
  });
  const inserts = (...documents: StoredDocument[]) =>
    [...insertStatements(documents, { ...names, name: table, format })].map(
      ({ sql, parameters }): [string, readonly unknown[]] => [flat(sql), parameters],
    );
  return { database, sent, repeated, warn, end, inserts };
}

describe("PgVectorDatabase.write", () => {
  it("creates the table of a new collection, notes its length, and stores, in one transaction", async () => {
    const { database, sent, repeated, inserts } = start({ insert: [{ dimensions: null }] });
    await database.write("c", storing(at("a")));

    expect(sent).toEqual([
      [begin, []],
      [look, [key]],
      [enter, [key, "c"]],
      [flat(createTable(names, { key, dimensions: 2, exact: false, languages: ["english"] })), []],
      ['update "s"."t" set dimensions = $2 where id = $1', [key, 2]],
      ...inserts(at("a")),
      ["commit", []],
    ]);
    expect(repeated).toEqual([undefined]);
  });

  it("takes the length that another process has noted meanwhile, and creates nothing", async () => {
    const { database, sent, inserts } = start({ 'insert into "s"."t" as known': [{ dimensions: 2 }] });
    await database.write("c", storing(at("a")));

    expect(sent).toEqual([[begin, []], [look, [key]], [enter, [key, "c"]], ...inserts(at("a")), ["commit", []]]);
  });

  it("deletes by filter, then by ids, then stores, in the table that is there", async () => {
    const { database, sent, inserts } = start({ "select dimensions": [{ dimensions: 2 }] });
    const documents = [at("b", [0, 1], { n: 1 }), at("a")];
    await database.write("c", { documents, deletedIds: ["x", "y"], deletedWhere: { n: 1 } });

    expect(sent).toEqual([
      [begin, []],
      [look, [key]],
      [`delete from ${table} where (metadata @> $1::jsonb)`, ['{"n":1}']],
      [`delete from ${table} where id = any($1::text[])`, [["x", "y"]]],
      ...inserts(...documents),
      ["commit", []],
    ]);
  });

  it.each([
    [10_000, [10_000]],
    [10_001, [10_000, 1]],
    [20_000, [10_000, 10_000]],
  ])("deletes %i ids in statements of %j", async (count, parts) => {
    const { database, sent } = start({ "select dimensions": [{ dimensions: 2 }] });
    const deletedIds = Array.from({ length: count }, (_, index) => `d${index}`);
    await database.write("c", { documents: [], deletedIds, deletedWhere: undefined });
    const deletions = sent.filter(([sql]) => sql.startsWith("delete")).map(([, [ids]]) => ids as string[]);

    expect(deletions.map(({ length }) => length)).toEqual(parts);
    expect(deletions.flat()).toEqual(deletedIds);
  });

  it("enters and deletes nothing for a collection without a table", async () => {
    const { database, sent } = start();
    await database.write("c", { documents: [], deletedIds: ["a"], deletedWhere: { n: 1 } });

    expect(sent).toEqual([
      [begin, []],
      [look, [key]],
      ["commit", []],
    ]);
  });

  it("rolls back without storing when a document has another length than the collection", async () => {
    const { database, sent } = start({ "select dimensions": [{ dimensions: 2 }] });

    await expect(
      database.write("c", { documents: [at("a"), at("b", [1, 0, 0])], deletedIds: ["x"], deletedWhere: undefined }),
    ).rejects.toMatchObject({
      code: "invalid_value",
      message: "The embedding must have 2 numbers, as the store's vectors, got 3.",
    });
    expect(sent).toEqual([
      [begin, []],
      [look, [key]],
      ["rollback", []],
    ]);
  });

  it("refuses longer vectors than pgvector stores before it sends anything", async () => {
    const { database, sent } = start();

    await expect(database.write("c", storing(at("a", Array<number>(16_001).fill(1))))).rejects.toMatchObject({
      code: "invalid_value",
      message: "The embedding must have at most 16000 numbers, which is the limit of pgvector, got 16001.",
    });
    expect(sent).toEqual([]);
  });

  it.each([
    [4000, false, 0],
    [4001, false, 1],
    [4001, true, 0],
  ])("warns once of new collections of %i dimensions, exact: %j, %i times", async (dimensions, exact, times) => {
    const { database, warn } = start({ insert: [{ dimensions: null }] }, exact);
    for (const collection of ["c", "d"])
      await database.write(collection, storing(at("a", Array<number>(dimensions).fill(1))));

    expect(warn.mock.calls).toEqual(
      Array.from({ length: times }, () => [
        "pgvector indexes vectors of at most 4000 dimensions, and these have 4001: each search compares every vector. Use shorter embeddings, or set exact: true.",
      ]),
    );
  });
});

const exists = 'select from "s"."t" where id = $1 and dimensions is not null';
const read = `select id, content, metadata::text as metadata, coalesce(original, embedding)::text as embedding from ${table} where id = $1`;

describe("PgVectorDatabase", () => {
  it.each([
    ["without metadata", null, {}],
    ["with metadata", '{"n":1}', { metadata: { n: 1 } }],
  ])("gets a document %s, of a table that may be cleared meanwhile", async (_what, metadata, more) => {
    const { database, sent, repeated } = start({
      "select from": [{}],
      "select id": [{ id: "a", content: "of a", metadata, embedding: "[3,4]" }],
    });

    expect(await database.get("c", "a")).toEqual({ id: "a", content: "of a", embedding: [3, 4], ...more });
    expect(sent).toEqual([
      [exists, [key]],
      [read, ["a"]],
    ]);
    expect(repeated).toEqual([["42P01", "22000"]]);
  });

  it("gets nothing of a collection that does not exist, or of an id that it does not have", async () => {
    const missing = start();
    expect(await missing.database.get("c", "a")).toBeNull();
    expect(missing.sent).toEqual([[exists, [key]]]);
    const empty = start({ "select from": [{}] });

    expect(await empty.database.get("c", "a")).toBeNull();
  });

  it("searches with its own names and settings, a table that may be cleared meanwhile", async () => {
    const { database, sent, repeated } = start();
    const search = { vector: Float32Array.of(1, 0), length: 1, topK: 1, minScore: -Infinity, filter: {} };

    expect(await database.search("c", search)).toEqual([]);
    expect(repeated).toEqual([["42P01", "22000"]]);
    expect(sent[0]?.[0]).toMatch(/^begin read only; set local hnsw\.ef_search = 100; /);
    expect(sent[0]?.[0]).toContain(`select dimensions from "s"."t" where id = '${key}' and dimensions is not null`);
  });

  it("clears by one statement, which forgets the collection and drops its table", async () => {
    const { database, sent, repeated } = start();
    await database.clear("c");

    expect(sent).toEqual([
      [`begin; delete from "s"."t" where id = '${key}'; drop table if exists ${table}; commit`, []],
    ]);
    expect(repeated).toEqual([undefined]);
  });

  const known = 'select model from "s"."t" where id = $1 and model is not null';
  const keep =
    'insert into "s"."t" as known (id, collection, model) values ($1, $2, $3) on conflict (id) do update set model = coalesce(known.model, excluded.model) returning model';

  it.each([
    ["the model that is noted", { "select model": [{ model: "old" }] }, "old", none],
    [
      "the model that another process has noted",
      { insert: [{ model: "theirs" }] },
      "theirs",
      [[keep, [key, "c", "new"]]],
    ],
    ["its own model", {}, "new", [[keep, [key, "c", "new"]]]],
  ])("remembers %s", async (...[, answers, model, more]) => {
    const { database, sent } = start(answers);

    expect(await database.rememberModel("c", "new")).toBe(model);
    expect(sent).toEqual([[known, [key]], ...more]);
  });

  it("ends its connections when it is closed", async () => {
    const { database, end, sent } = start();
    await database.close();

    expect(end.mock.calls).toEqual([[]]);
    expect(sent).toEqual([]);
  });
});
