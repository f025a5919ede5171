import type { VectorSearchQuery } from "@troupe/core/vector";
import type { Query, SqlStatement } from "@troupe-internal/postgres";
import { expect, it } from "vitest";
import { createTable } from "./collection-table.ts";
import { searchTable } from "./search-table.ts";
import { insertStatements } from "./stored-document.ts";
import { searchWords } from "./text-search.ts";

const names = { schema: "s", table: "t", extensionSchema: '"ext"' };
const format = { write: (vector: ArrayLike<number>) => JSON.stringify(Array.from(vector)), read: () => [] };

/** Writes a statement in one line, with its parameters. */
function written({ sql, parameters }: SqlStatement): string {
  const values = parameters.map((value) => (typeof value === "string" && value.length > 100 ? "…" : value));
  return `${sql.replaceAll(/\s+/g, " ").trim()} ${JSON.stringify(values)}`;
}

/** Returns the statements of a search, of a database that has many documents and whose index finds too few. */
async function statementsOf(
  search: Partial<VectorSearchQuery>,
  { dimensions = 2, exact = false, efSearch = 100 } = {},
) {
  const sent: string[] = [];
  const query: Query = async <Row>(statement: SqlStatement) => {
    sent.push(written(statement));
    const row = { dimensions, matching: "1000000", candidates: "0", id: "a", content: "", metadata: null };
    return await Promise.resolve((statement.sql === "commit" ? [] : [row]) as Row[]);
  };
  const table = { names, key: "k", format, settings: { efSearch, exact }, warn: () => undefined };
  const vector = new Float32Array(dimensions).fill(1);
  const asked = { vector, length: Math.sqrt(dimensions), topK: 10, minScore: -Infinity, filter: {}, ...search };
  await searchTable(query, table, asked).catch((error: Error) => sent.push(error.message));
  return sent;
}

const document = (id: string, more: object = {}) => ({
  id,
  content: "é",
  vector: Float32Array.of(1, 0),
  length: 1,
  ...more,
});

// What PostgreSQL is asked. If a change is meant, write the outline anew by `vitest --update`, and run the tests that
// need a server.
it("the statements of a store are these", async () => {
  const lines: Record<string, readonly string[]> = {
    "a search": await statementsOf({}),
    "a search with a filter": await statementsOf({ filter: { a: "é", "b.c": { d: [1] } } }),
    "a search with a least score, for many": await statementsOf({ minScore: 0.5, topK: 5000 }),
    "a search of longer vectors": await statementsOf({}, { dimensions: 2001 }),
    "a search of vectors that no index takes": await statementsOf({}, { dimensions: 4001 }),
    "an exact search": await statementsOf({}, { exact: true, efSearch: 2000 }),
    "a search of an extreme vector": await statementsOf({ vector: Float32Array.of(1e-20, 0), length: 1e-20 }),
    tables: [2, 2001, 4001].flatMap((dimensions) =>
      [true, false].map((exact) =>
        createTable(names, { key: "k", dimensions, exact, languages: ["simple", "english"] }).replaceAll(/\s+/g, " "),
      ),
    ),
    documents: [
      ...insertStatements(
        [
          document("b", { metadata: { é: 1 } }),
          document("a"),
          document("c", { vector: Float32Array.of(2 ** 41, 0), length: 2 ** 41 }),
        ],
        { name: '"s"."t_k"', extensionSchema: '"ext"', format },
      ),
    ].map(written),
  };
  const words: string[] = [];
  const query: Query = async <Row>(statement: SqlStatement) => {
    words.push(written(statement));
    return await Promise.resolve((statement.sql.includes("pg_attribute") ? [{ name: "words_simple" }] : []) as Row[]);
  };
  await searchWords(query, '"s"."t_k"', { query: "é", topK: 3, filter: { a: 1 } } as never);
  const outline = Object.entries({ ...lines, words }).map(([title, sent]) => [`# ${title}`, ...sent].join("\n"));

  await expect(`${outline.join("\n\n")}\n`).toMatchFileSnapshot("../test/outlines/statements.txt");
});

it("documents are stored in requests of so many, and of so many characters", () => {
  const target = { name: "t", extensionSchema: "e", format };
  const sizes = (count: number, content = "x") =>
    [
      ...insertStatements(
        Array.from({ length: count }, (_, index) => document(`${index}`, { content })),
        target,
      ),
    ].map(({ parameters }) => (parameters[0] as string[]).length);

  expect([sizes(0), sizes(1)]).toEqual([[], [1]]);
  const [most = 0] = sizes(5000);
  expect([sizes(most), sizes(most + 1)]).toEqual([[most], [most, 1]]);
  expect({ most, long: sizes(20, "x".repeat(1_000_000)) }).toEqual({ most: 200, long: [4, 4, 4, 4, 4] });
});
