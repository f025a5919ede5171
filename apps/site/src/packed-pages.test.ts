import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { writePackedPages } from "./packed-pages.ts";

const folder = mkdtempSync(join(tmpdir(), "troupe-docs-"));
afterAll(() => rmSync(folder, { recursive: true }));

it("the build of packed pages writes the pages for users, whose links lead to one another or to the web, and removes what is no page any more", async () => {
  mkdirSync(join(folder, "guide"));
  writeFileSync(join(folder, "guide/old.md"), "# Old\n");

  await writePackedPages(join(import.meta.dirname, "../../.."), folder);

  const pages = globSync("**/*.md", { cwd: folder }).toSorted();
  expect(pages).toEqual(
    expect.arrayContaining([
      "errors.md",
      "guide/README.md",
      "guide/tools.md",
      "recipes/answer-in-slack.md",
      "reference/core.md",
    ]),
  );
  expect(pages.filter((page) => /old|architecture|of-the-code|decisions/.test(page))).toEqual([]);
  const lost = pages.flatMap((page) => {
    const text = readFileSync(join(folder, page), "utf8");
    expect(text).not.toMatch(/^```.*\//m);
    const links = Array.from(text.matchAll(/\]\((?!https?:|#|mailto:)([^)\s#]+)/g), ([, target = ""]) => target);
    return links.filter((target) => !existsSync(join(folder, dirname(page), target))).map((to) => `${page}: ${to}`);
  });
  expect(lost).toEqual([]);
});
