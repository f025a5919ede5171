import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = new URL("../../", import.meta.url);

/** Returns the number of words as `wc -w` counts them: code, tables and their bars included. */
const wordsIn = (text: string): number => text.split(/\s+/).filter((word) => word !== "").length;

const read = (page: string): string => readFileSync(new URL(page, root), "utf8");

/** Returns the pages of patterns with more words than the bound, each with its number. */
function longerThan(bound: number, ...patterns: readonly string[]): string[] {
  const pages = globSync(patterns, { cwd: fileURLToPath(root) }).toSorted();
  expect(pages.length).toBeGreaterThan(10);
  return pages.filter((page) => wordsIn(read(page)) > bound).map((page) => `${page}: ${wordsIn(read(page))}`);
}

it("each page of the repository has at most 900 words, so that it has one subject", () => {
  const written = ["*.md", "docs/*.md", "docs/guide/*.md", "docs/recipes/*.md", "{apps,packages,internal}/*/*.md"];

  expect(longerThan(900, ...written, "{examples,tests}/**/*.md")).toEqual([]);
});

it("each README of a package has at most 500 words: the subjects stand in the guide", () => {
  expect(longerThan(500, "packages/*/README.md")).toEqual([]);
});

it("the front page has at most 300 words beside its programs and its table of packages", () => {
  const prose = read("README.md")
    .replaceAll(/^```[^]*?^```$/gm, "")
    .replaceAll(/^\|.*$/gm, "");

  expect(wordsIn(prose)).toBeGreaterThan(100);
  expect(wordsIn(prose)).toBeLessThanOrEqual(300);
});
