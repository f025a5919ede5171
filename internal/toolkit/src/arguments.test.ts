import { describe, expect, it } from "vitest";
import {
  countParameter,
  queryParameter,
  readMaxResults,
  readTextArgument,
  readTimeRange,
  timeRangeParameter,
} from "./index.ts";

describe("readTextArgument", () => {
  it.each<[string, unknown, string]>([
    ["a text", "a b", "a b"],
    ["a text in blanks", " \n a \t", "a"],
    ["400 characters", "a".repeat(400), "a".repeat(400)],
    ["400 characters in blanks", ` ${"a".repeat(400)} `, "a".repeat(400)],
    ["half a character", "a\ud800", "a\ufffd"],
  ])("takes %s", (_, query, text) => {
    expect(readTextArgument({ query }, "query")).toBe(text);
  });

  it.each<[string, unknown]>([
    ["401 characters", "a".repeat(401)],
    ["blanks", " \n"],
    ["nothing", ""],
    ["a number", 7],
    ["none", undefined],
  ])("refuses %s by its name", (_, query) => {
    expect(() => readTextArgument({ query }, "query")).toThrow(
      expect.objectContaining({
        code: "invalid_request",
        message: "query must be a text of 1 to 400 characters that is not blank.",
      }),
    );
  });

  it("has a limit of its own where one is given", () => {
    expect(readTextArgument({ name: "abc" }, "name", 3)).toBe("abc");
    expect(() => readTextArgument({ name: "abcd" }, "name", 3)).toThrow("name must be a text of 1 to 3 characters");
  });
});

it.each<[unknown, number]>([
  [undefined, 10],
  [1, 1],
  [9.9, 9],
  [10, 10],
  [11, 10],
  [Number.POSITIVE_INFINITY, 10],
  [0, 10],
  [0.9, 10],
  [-1, 10],
  [Number.NaN, 10],
  ["5", 10],
])("reads maxResults %j as %i of at most 10", (maxResults, expected) => {
  expect(readMaxResults({ maxResults }, 10)).toBe(expected);
});

it.each<[unknown, unknown]>([
  ["day", "day"],
  ["week", "week"],
  ["month", "month"],
  ["year", "year"],
  ["Day", undefined],
  ["constructor", undefined],
  [["day"], undefined],
  [undefined, undefined],
])("reads timeRange %j as %j", (timeRange, expected) => {
  expect(readTimeRange({ timeRange })).toBe(expected);
});

it("a search tool describes its parameters with their limits", () => {
  expect(queryParameter("Words.")).toEqual({ type: "string", description: "Words.", minLength: 1, maxLength: 400 });
  expect(countParameter(7, "mails")).toEqual({
    type: "integer",
    description: "Number of mails to return, at most 7, which is also the default.",
    minimum: 1,
    maximum: 7,
  });
});

it("a search tool describes the period of a search", () => {
  expect(timeRangeParameter).toEqual({
    type: "string",
    description: "Returns only results from the last day, week, month or year. Leave it out for results of any age.",
    enum: ["day", "week", "month", "year"],
  });
});
