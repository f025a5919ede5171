import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { referencePages } from "./reference-pages.ts";

const root = join(import.meta.dirname, "../..");
const pages = referencePages(root);

it.each(pages)("$path says what the doc comments of the options say", ({ path, text }) => {
  const written = existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : "";

  expect(written, "run `pnpm reference`").toBe(text);
});

it("docs/reference has no other pages", () => {
  const written = readdirSync(join(root, "docs/reference")).map((name) => `docs/reference/${name}`);

  expect(written.toSorted()).toEqual(pages.map(({ path }) => path).toSorted());
});

it.each(pages)("$path has a meaning for each option", ({ text }) => {
  expect(text.split("\n").filter((line) => line.endsWith("|  |"))).toEqual([]);
});
