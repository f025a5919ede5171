import { describe, expect, it } from "vitest";
import { readTable } from "./artifact-table.ts";

const lines = (table: ReturnType<typeof readTable>) => table && [table.head, ...table.rows].map((row) => row.join("|"));

describe("the data of an artifact as a table", () => {
  it.each<[string, unknown, string, string[]]>([
    [
      "objects with the same fields",
      [
        { a: 1, b: "é" },
        { a: 2, b: null },
      ],
      "",
      ["a|b", "1|é", "2|null"],
    ],
    [
      "objects with other fields each",
      [{ a: 1 }, { b: true, constructor: 2 }],
      "",
      ["a|b|constructor", "1||", "|true|2"],
    ],
    ["JSON of objects", ' [{"a":1}]', "application/json", ["a", "1"]],
    ["values between commas", "a,b\n1,2\n", "text/csv", ["a|b", "1|2"]],
    ["values between commas, with a character set", "a,b\r\n1,\r\n\r\n", "text/csv; charset=utf-8", ["a|b", "1|"]],
    ["values in quotes", 'a,"b ""é"""\n"1,5","x\ny"z\n', "text/csv", ['a|b "é"', "1,5|x y"]],
    ["rows that are longer or shorter than the first", "a,b\n1\n1,2,3", "text/csv", ["a|b", "1|", "1|2"]],
    ["values between tabs", "a\tb,c\n1\t2", "text/tab-separated-values", ["a|b,c", "1|2"]],
    ["a quote that is not closed", 'a,b\n"1,2', "text/csv", ["a|b", '"1|2']],
  ])("has the rows of %s", (...[, data, mimeType, rows]) => {
    expect(lines(readTable(data, mimeType))).toEqual(rows);
  });

  it.each<[string, unknown, string]>([
    ["no rows", [], ""],
    ["values that are no objects", [1, { a: 1 }], ""],
    ["arrays", [[1]], ""],
    ["fields with objects", [{ a: { b: 1 } }], ""],
    ["objects without fields", [{}], ""],
    ["an object", { a: 1 }, ""],
    ["more columns than fit", [Object.fromEntries(Array.from({ length: 13 }, (_, at) => [`c${at}`, at]))], ""],
    ["a text", "a,b\n1,2", "text/plain"],
    ["a text that begins like JSON", "[a]", ""],
    ["a head alone", "a,b\n", "text/csv"],
    ["an empty text", "", "text/csv"],
    ["data that is no text", [1], "text/csv"],
    ["a text that is too long to read", "a,b\n".repeat(500_001), "text/csv"],
  ])("is none for %s", (_, data, mimeType) => {
    expect(readTable(data, mimeType)).toBeUndefined();
  });

  it("has cells of bounded length, and reads many rows at once", () => {
    expect(readTable([{ a: "x".repeat(1000) }], "")?.rows[0]?.[0]).toHaveLength(200);
    expect(readTable(`a,b\n${'1,"2"\n'.repeat(50_000)}`, "text/csv")?.rows).toHaveLength(50_000);
  });
});
