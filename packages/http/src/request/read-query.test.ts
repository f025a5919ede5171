import { describe, expect, it } from "vitest";
import { readQuery, toNumber } from "./read-query.ts";

const names = ["limit", "after"] as const;
const read = (search: string, expected: readonly string[] = names) => readQuery({ search }, expected);
const refused = (message: string) =>
  expect.objectContaining({ code: "invalid_request", message: expect.stringContaining(message) }) as Error;

describe("readQuery", () => {
  it.each([
    ["", {}],
    ["?", {}],
    ["?limit=5", { limit: "5" }],
    ["?after=a%20b&limit=", { after: "a b", limit: "" }],
    ["?after=a?b", { after: "a?b" }],
    ["?after=Gr%C3%BC%C3%9Fe", { after: "Grüße" }],
  ])("reads %j", (query, fields) => {
    expect(read(query)).toEqual(fields);
  });

  it.each([
    ["?x=1", 'Unknown parameter "x" in the query. Expected limit or after.'],
    ["?Limit=1", 'Unknown parameter "Limit"'],
    ["?limit=1&x=1", 'Unknown parameter "x"'],
    ["?__proto__=1", 'Unknown parameter "__proto__"'],
    ["?toString=1", 'Unknown parameter "toString"'],
    ["?=1", 'Unknown parameter ""'],
    ["?limit[]=1", 'Unknown parameter "limit[]"'],
    ["?limit=1&limit=1", "The query must have limit once."],
    ["?limit=1&after=2&limit=", "The query must have limit once."],
  ])("refuses %s", (query, message) => {
    expect(() => read(query)).toThrow(refused(message));
  });

  it("shows 64 characters of an unknown name", () => {
    expect(() => read(`?${"x".repeat(65)}=1`)).toThrow(refused(`"${"x".repeat(64)}" in`));
  });

  it("expects nothing where there are no parameters", () => {
    expect(read("", [])).toEqual({});
    expect(() => read("?limit=1", [])).toThrow(refused("Expected none."));
  });
});

describe("toNumber", () => {
  it.each([
    ["0", 0],
    ["007", 7],
    ["100", 100],
    ["9".repeat(15), 999_999_999_999_999],
  ])("reads %s", (digits, number) => {
    expect(toNumber(digits)).toBe(number);
  });

  it.each(["", " ", "-1", "+1", "1.0", "1e3", "0x10", " 1", "1 ", "1\n", "١", "Infinity", "9".repeat(16)])(
    "reads %j as no number",
    (digits) => {
      expect(toNumber(digits)).toBeNaN();
    },
  );
});
