import { describe, expect, it } from "vitest";
import { compileStatements } from "./compile-statements.ts";

const record = { namespace: "a", key: "b" };

describe("compileStatements", () => {
  it("puts values into the parameters of a statement, in the order of their places, and never into its text", async () => {
    const { list } = await compileStatements("sqlite", { name: "records" });
    const { sql, parameters } = list({ namespace: "a'b", from: "c", to: "d", limit: 20, reverse: true });

    expect(sql).toBe(
      'select "key", "value" from "records" where "namespace" = ? and "key" >= ? and "key" < ? order by "key" desc limit ?',
    );
    expect(parameters).toEqual(["a'b", "c", "d", 20]);
  });

  it("gives each statement the same text at every call", async () => {
    const { read } = await compileStatements("sqlite", { name: "records" });

    expect(read(record).sql).toBe(read({ namespace: "c", key: "d" }).sql);
  });

  it("deletes where a text of null is written, and upserts any other", async () => {
    const { write } = await compileStatements("sqlite", { name: "records" });

    expect(write({ ...record, text: null }).sql).toMatch(/^delete from "records"/);
    expect(write({ ...record, text: "1" }).sql).toMatch(/^insert into "records" .* on conflict .* do update/);
  });

  it("swaps by an insert, an update or a delete", async () => {
    const { swap } = await compileStatements("sqlite", { name: "records" });

    expect(swap({ ...record, expected: null, next: "2" }).sql).toMatch(/^insert .* do nothing returning "key"$/);
    expect(swap({ ...record, expected: "1", next: "2" })).toMatchObject({
      sql: expect.stringMatching(/^update .* returning "key"$/),
      parameters: ["2", "a", "b", "1"],
    });
    expect(swap({ ...record, expected: "1", next: null }).sql).toMatch(/^delete .* returning "key"$/);
  });

  it("names the schema, and orders the columns by bytes in PostgreSQL", async () => {
    const { createTable, read } = await compileStatements("postgres", { name: "records", schema: "own" });

    expect(createTable.sql).toMatch(
      /^create table if not exists "own"\."records" \("namespace" text collate "C" not null/,
    );
    expect(read(record).sql).toContain('from "own"."records"');
  });
});
