import { expect, it } from "vitest";
import { changedLines } from "./changed-lines.ts";

/** Returns the diff of a file, from hunks that begin with `@@`. */
function diffOf(file: string, ...lines: readonly string[]): string[] {
  return [`diff --git a/${file} b/${file}`, `--- a/${file}`, `+++ b/${file}`, ...lines];
}

/** Returns the numbers of the changed lines, by their file. */
function numbersOf(...diffs: readonly string[][]): Record<string, number[]> {
  const changed = changedLines(`${diffs.flat().join("\n")}\n`);
  return Object.fromEntries([...changed].map(([file, lines]) => [file, [...lines]]));
}

it("changedLines returns the lines that each file has more than before", () => {
  const one = diffOf("a.ts", "@@ -1,0 +2,2 @@", "+one", "+two", "@@ -9 +12 @@", "-old", "+new");
  const two = diffOf("b.ts", "@@ -0,0 +1 @@", "+three");

  expect(numbersOf(one, two)).toEqual({ "a.ts": [2, 3, 12], "b.ts": [1] });
});

it("changedLines leaves out lines that have moved, also to another file or another depth", () => {
  const one = diffOf("a.ts", "@@ -1,2 +0,0 @@", "-  moved();", "-gone();");
  const two = diffOf("b.ts", "@@ -4,0 +5,2 @@", "+moved();", "+fresh();");

  expect(numbersOf(one, two)).toEqual({ "b.ts": [6] });
});

it("changedLines counts a line that stands twice where it stood once", () => {
  const one = diffOf("a.ts", "@@ -1 +0,0 @@", "-same();", "@@ -4,0 +4,2 @@", "+same();", "+same();");

  expect(numbersOf(one)).toEqual({ "a.ts": [5] });
});

it("changedLines takes lines that look like a header for what they are", () => {
  const one = diffOf("a.ts", "@@ -1 +1,2 @@", "--- a", "\\ No newline at end of file", "+++ b", "+@@ -1 +1 @@");

  expect(numbersOf(one)).toEqual({ "a.ts": [1, 2] });
});
