import { describe, expect, it } from "vitest";
import { describeIssues, formatPath, shorten } from "./schema-issue.ts";

describe("formatPath", () => {
  it.each<[(string | number)[], string]>([
    [[], ""],
    [["city"], "city"],
    [["items", 3, "name"], "items[3].name"],
    [[0, "a b"], '[0]["a b"]'],
    [["x".repeat(100)], `["${"x".repeat(63)}…"]`],
  ])("writes %j as code does", (path, text) => {
    expect(formatPath(path)).toBe(text);
  });

  it("stops at sixteen steps", () => {
    expect(formatPath(Array.from({ length: 40 }, () => 0))).toBe(`${"[0]".repeat(16)}…`);
  });
});

describe("describeIssues", () => {
  it("names the value as a whole", () => {
    expect(describeIssues([{ path: [], message: "expected object, got null" }], "arguments")).toBe(
      "arguments: expected object, got null",
    );
  });
});

describe("shorten", () => {
  it("does not cut a character in two", () => {
    expect(shorten("ab😀cd", 4)).toBe("ab…");
    expect(shorten("abcd", 4)).toBe("abcd");
  });
});
