import { describe, expect, it } from "vitest";
import { readOptions } from "@troupe/core/kit";
import { pgVectorOptionTable, poolOptionTable } from "./pg-vector-options.ts";

const read = (options: object) => readOptions(pgVectorOptionTable, options, { owner: "PgVectorStore" });
const name =
  "must be at most 29 lower-case letters, digits and underscores that do not begin with a digit or pg_, got a string.";

describe("The options of a PgVectorStore", () => {
  it("have defaults, of a given pool all but max", () => {
    const defaults = {
      acquireTimeoutMs: 5000,
      statementTimeoutMs: 30_000,
      schema: "public",
      table: "troupe_vectors",
      exact: false,
      languages: ["english"],
    };

    expect(read({})).toEqual({ max: 10, ...defaults });
    expect(readOptions(poolOptionTable, {}, { owner: "PgVectorStore" })).toEqual(defaults);
  });

  it.each([
    { max: 1, acquireTimeoutMs: 1, statementTimeoutMs: 3_600_000 },
    { schema: "_a9", table: "p".repeat(29) },
    { efSearch: 10, dimensions: 16_000 },
    { efSearch: 1000, dimensions: 1 },
    { exact: true },
    { table: "pgvectors" },
  ])("take %j", (options) => {
    expect(read(options)).toMatchObject(options);
  });

  it.each<[object, string]>([
    [{ max: 0 }, "max must be a positive integer, got 0."],
    [{ acquireTimeoutMs: 0 }, "acquireTimeoutMs must be an integer from 1 to 3600000, got 0."],
    [{ statementTimeoutMs: 3_600_001 }, "statementTimeoutMs must be an integer from 1 to 3600000, got 3600001."],
    [{ schema: "" }, `schema ${name}`],
    [{ schema: "pg_a" }, `schema ${name}`],
    [{ schema: "A" }, `schema ${name}`],
    [{ table: "9a" }, `table ${name}`],
    [{ table: "x".repeat(30) }, `table ${name}`],
    [{ table: "a\n" }, `table ${name}`],
    [{ efSearch: 9 }, "efSearch must be an integer from 10 to 1000, got 9."],
    [{ efSearch: 1001 }, "efSearch must be an integer from 10 to 1000, got 1001."],
    [{ dimensions: 16_001 }, "dimensions must be an integer from 1 to 16000, got 16001."],
    ...[[], "english", ["en-GB"], ["english", "english"]].map((languages): [object, string] => [
      { languages },
      `languages must be an array of one to four different names of lower-case letters, such as english, got ${typeof languages === "string" ? "a string" : "an array"}.`,
    ]),
    [{ exact: 1 }, "exact must be true or false, got 1."],
  ])("refuse %j", (options, message) => {
    expect(() => read(options)).toThrow(expect.objectContaining({ code: "invalid_config", message }));
  });
});
