import { describe, expect, it } from "vitest";
import { compileStatements } from "./compile-statements.ts";
import { testDialect, testStatements } from "./test/test-statements.ts";

describe("compileStatements", () => {
  it("gives a statement its values by name, in the order of their places, and puts none of them into its text", () => {
    const { sql, parameters } = testStatements.listDown({ namespace: "a'b", from: "c", to: "d", limit: 20 });

    expect(sql).toBe(
      'select "key", "value" from "records" where "namespace" = ? and "key" >= ? and "key" < ? order by "key" desc limit ?',
    );
    expect(parameters).toEqual(["a'b", "c", "d", 20]);
  });

  it("gives each statement the same text at every call", () => {
    expect(testStatements.read({ namespace: "a", key: "b" }).sql).toBe(
      testStatements.read({ namespace: "c", key: "d" }).sql,
    );
  });

  it("names the schema and the type of the columns", async () => {
    const dialect = { ...testDialect, columnType: 'text collate "C"' };
    const { createTable, read } = await compileStatements(dialect, { name: "records", schema: "own" });

    expect(createTable({}).sql).toMatch(
      /^create table if not exists "own"\."records" \("namespace" text collate "C" not null/,
    );
    expect(read({ namespace: "a", key: "b" }).sql).toContain('from "own"."records"');
  });
});
