import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readHalves } from "./read-questions.ts";

const root = join(import.meta.dirname, "../../../..");

it("the questions of the bench ask for pages and headings that exist, and are halved", () => {
  const file = join(import.meta.dirname, "questions.json");
  const pages = JSON.parse(readFileSync(file, "utf8")) as Record<string, Record<string, string[]>>;
  const missing = Object.entries(pages).flatMap(([page, headings]) => {
    const path = join(root, page);
    const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
    const known = new Set(lines.map((line) => line.replace(/^#+ /, "")));
    return Object.keys(headings).flatMap((heading) => (known.has(heading) ? [] : [`${page}: ${heading}`]));
  });

  expect(missing).toEqual([]);
  const { tuned, aside } = readHalves();
  expect([tuned.length, aside.length]).toEqual([104, 104]);
});
