import { describe, expect, it } from "vitest";
import { describeIssues, formatPath, shorten } from "./schema-issue.ts";

describe("formatPath", () => {
  it.each<[(string | number)[], string]>([
    [[], ""],
    [["city"], "city"],
    [["items", 3, "name"], "items[3].name"],
    [[0, "a b"], '[0]["a b"]'],
    [["x".repeat(100)], `["${"x".repeat(63)}…"]`],
    [['a"]: expected string\nb: "'], String.raw`["a\"]: expected string\nb: \""]`],
  ])("writes %j like code", (path, text) => {
    expect(formatPath(path)).toBe(text);
  });

  it("stops after sixteen segments", () => {
    expect(formatPath(Array.from({ length: 40 }, () => 0))).toBe(`${"[0]".repeat(16)}…`);
  });
});

describe("describeIssues", () => {
  it("names the root", () => {
    expect(describeIssues([{ path: [], message: "expected object, got null" }], "arguments")).toBe(
      "arguments: expected object, got null",
    );
  });
});

describe("shorten", () => {
  it("does not split a character", () => {
    expect(shorten("ab😀cd", 4)).toBe("ab…");
    expect(shorten("abcd", 4)).toBe("abcd");
  });
});
