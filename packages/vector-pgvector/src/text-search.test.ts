import type { Query, SqlStatement } from "@troupe-internal/postgres";
import { describe, expect, it } from "vitest";
import { readLanguages, searchWords } from "./text-search.ts";

const search = { query: "é", terms: [], topK: 3, filter: {} };

/** A scripted database whose table has a column of words with this name, and these results. */
function start({ column, rows = [] }: { column?: string; rows?: readonly object[] | Error }) {
  const sent: string[] = [];
  const query: Query = async <Row>({ sql, parameters }: SqlStatement) => {
    const isCatalog = sql.includes("pg_attribute");
    sent.push(isCatalog ? `catalog ${String(parameters[0])}` : sql.trim().split(/\W/, 1).join());
    if (isCatalog) return (column === undefined ? [] : [{ name: column }]) as Row[];
    if (!sql.includes("ranked")) return [];
    if (rows instanceof Error) throw rows;
    return await Promise.resolve(rows as Row[]);
  };
  return { query, sent };
}

describe("readLanguages", () => {
  it.each([
    ["words_simple", ["simple"]],
    ["words_simple_english_german", ["simple", "english", "german"]],
    [undefined, undefined],
  ])("reads from the column %s the languages %j", async (column, languages) => {
    expect(await readLanguages(start(column === undefined ? {} : { column }).query, "t")).toEqual(languages);
  });
});

describe("searchWords", () => {
  it("returns documents with scores as numbers, also if the pool reads numbers as strings", async () => {
    const rows = [
      { id: "a", content: "A", metadata: '{"n":1}', score: "0.5" },
      { id: "b", content: "B", metadata: null, score: 0.25 },
    ];
    const { query, sent } = start({ column: "words_simple", rows });

    expect(await searchWords(query, "t", search)).toStrictEqual([
      { document: { id: "a", content: "A", metadata: { n: 1 } }, score: 0.5 },
      { document: { id: "b", content: "B" }, score: 0.25 },
    ]);
    expect(sent).toEqual(["begin", "catalog t", "with", "commit"]);
  });

  it("refuses a table without a text index, and ends its transaction", async () => {
    const { query, sent } = start({});

    await expect(searchWords(query, "t", search)).rejects.toMatchObject({
      code: "invalid_config",
      message: expect.stringContaining("createTextIndex()") as string,
    });
    expect(sent).toEqual(["begin", "catalog t", "rollback"]);
  });

  it("passes on the failure of a search", async () => {
    const lost = new Error("lost");
    const { query } = start({ column: "words_simple", rows: lost });

    await expect(searchWords(query, "t", search)).rejects.toBe(lost);
  });
});
