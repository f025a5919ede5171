import type { VectorSearchQuery } from "@troupe/core/vector";
import type { Query, SqlStatement } from "@troupe-internal/postgres";
import { describe, expect, it } from "vitest";
import { searchTable } from "./search-table.ts";

/** The content of a scripted database: the length of its vectors, matching documents, and how many of them the index finds. */
type Given = { dimensions?: number; matching?: number; found?: number };

/** Searches a scripted database, a double that knows statements by their words, and returns what was sent to it. */
async function search({ dimensions, matching = 0, found = 0 }: Given, changes: Partial<VectorSearchQuery> = {}) {
  const sent: string[] = [];
  const warned: number[] = [];
  const rows = (count: number, name: string) =>
    Array.from({ length: count }, (_, index) => ({
      id: `${name}${index}`,
      content: "",
      metadata: null,
      score: 1 - index / 1e5,
      matching: String(matching),
      candidates: String(found),
    }));
  const answer = ({ sql, parameters }: SqlStatement): object[] => {
    const topK = Number(parameters.at(-1));
    if (sql.startsWith("begin")) return dimensions === undefined ? [] : [{ dimensions }];
    if (sql === "commit" || sql === "rollback") return [];
    if (sql.includes("materialized"))
      return matching > Number(parameters.at(-2)) ? rows(1, "none") : rows(Math.min(matching, topK), "few");
    return sql.includes("candidates") ? rows(Math.min(found, topK), "index") : rows(Math.min(matching, topK), "all");
  };
  const query: Query = async <Row>(statement: SqlStatement) => {
    const word = /^begin|^commit|^rollback|materialized|candidates/.exec(statement.sql)?.[0] ?? "all";
    sent.push(word);
    return answer(statement) as Row[];
  };
  const table = {
    names: { schema: "s", table: "t", extensionSchema: "public" },
    key: "k",
    format: { write: (vector: ArrayLike<number>) => JSON.stringify(Array.from(vector)), read: () => [] },
    settings: { efSearch: 100, exact: false },
    warn: (length: number) => void warned.push(length),
  };
  const vector = new Float32Array(dimensions ?? 2).fill(1);
  const asked = { vector, length: Math.sqrt(vector.length), topK: 10, minScore: -Infinity, filter: {}, ...changes };
  const results = await searchTable(query, table, asked).catch((error: unknown) => error as Error);
  return { results, sent, warned };
}

const names = (results: unknown) => (results as { document: { id: string } }[]).map(({ document }) => document.id);

describe("searchTable", () => {
  it("finds nothing in a collection that does not exist", async () => {
    expect(await search({})).toMatchObject({ results: [], sent: ["begin", "commit"] });
  });

  it("needs one statement where few documents match [pgvector.few]", async () => {
    const { results, sent } = await search({ dimensions: 2, matching: 3 });

    expect(names(results)).toEqual(["few0", "few1", "few2"]);
    expect(sent).toEqual(["begin", "materialized", "commit"]);
  });

  it("goes through the index where many match", async () => {
    const { results, sent } = await search({ dimensions: 2, matching: 1001, found: 40 });

    expect(names(results)).toContain("index9");
    expect(sent).toEqual(["begin", "materialized", "candidates", "commit"]);
  });

  it("counts more documents as few when a filter found them [pgvector.few]", async () => {
    const filter = { of: "x" };

    expect((await search({ dimensions: 2, matching: 5000 }, { filter })).sent).toHaveLength(3);
    expect((await search({ dimensions: 2, matching: 5001, found: 40 }, { filter })).sent).toHaveLength(4);
  });

  it("compares all that match when the index stopped too early [pgvector.recall]", async () => {
    const { results, sent } = await search({ dimensions: 2, matching: 1001, found: 39 });

    expect(names(results)).toHaveLength(10);
    expect(sent).toEqual(["begin", "materialized", "candidates", "all", "commit"]);
  });

  it("compares all at once where no index is possible, and tells", async () => {
    const { results, sent, warned } = await search({ dimensions: 4001, matching: 50 });

    expect(names(results)).toHaveLength(10);
    expect(sent).toEqual(["begin", "all", "commit"]);
    expect(warned).toEqual([4001]);
  });

  it("ends its transaction before it refuses a vector of another length", async () => {
    const { results, sent } = await search({ dimensions: 3 }, { vector: Float32Array.of(1, 0) });

    expect(results).toMatchObject({ code: "invalid_value", message: expect.stringContaining("must have 3 numbers") });
    expect(sent).toEqual(["begin", "rollback"]);
  });
});
