import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { findBrokenLinks } from "./broken-links.ts";
import { landingPage } from "./landing.ts";
import { guideGroups, missingFrom, otherGroups, recipeGroup } from "./navigation.ts";
import { readPages } from "./pages.ts";
import type { Page } from "./pages.ts";
import { repositoryOf } from "./relink.ts";
import { slugOf } from "./slug-of.ts";
import { llmsFullText, llmsText } from "./texts.ts";

const root = join(import.meta.dirname, "../../..");
const page = (path: string, text = `# ${path}\n`): Page => {
  return { source: `docs/${path}`, path, title: `Page ${path}`, text };
};

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

/** Stores files in a folder of their own. */
function folderOf(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "troupe-site-"));
  folders.push(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

describe("the pages of the repository", () => {
  it("have all a place in the navigation, once, but for single decisions", async () => {
    const pages = await readPages(root);
    const indexOf = (folder: string) => pages.find(({ path }) => path === `${folder}/index.md`) ?? page("none");
    const guide = [...guideGroups(indexOf("guide")), recipeGroup(indexOf("recipes"))];
    const paths = [...guide, ...otherGroups(pages)].flatMap(({ entries }) => entries.map(({ path }) => path));

    expect(missingFrom(guide, pages)).toEqual([]);
    expect(new Set(paths).size).toBe(paths.length);
    const expected = pages
      .map(({ path }) => path)
      .filter((path) => !/^(decisions\/\d|(guide|recipes)\/index)/.test(path));
    expect(paths.toSorted()).toEqual(expected.toSorted());
    expect(guide.flatMap(({ entries }) => entries).filter(({ description = "" }) => description.length < 10)).toEqual(
      [],
    );
  });

  it("are missing if no index names them", () => {
    const guide = [{ title: "Build", entries: [{ title: "Tools", path: "guide/tools.md" }] }];
    const pages = [
      "guide/index.md",
      "guide/tools.md",
      "guide/teams.md",
      "recipes/index.md",
      "recipes/jobs.md",
      "errors.md",
    ].map((path) => page(path));
    expect(missingFrom(guide, pages)).toEqual(["guide/teams.md", "recipes/jobs.md"]);
  });

  it("come in whole, and in the order of the navigation, for models that read all of them", () => {
    const groups = [{ title: "Build", entries: [page("b.md"), page("a.md")] }];
    const pages = [page("a.md", "# A\nÄ\n"), page("b.md", "# B\n"), page("c.md")];
    expect(llmsFullText(groups, pages)).toBe("# B\n\n# A\nÄ\n");
    expect(llmsText("Runs agents.", groups)).toBe(
      "# Troupe\n\n> Runs agents.\n\n## Build\n\n- [Page b.md](/b.md)\n- [Page a.md](/a.md)\n",
    );
  });

  it("begin with the sentence, the program and the promises of the README, and not with its table of packages", async () => {
    const text = landingPage(root, { pages: await readPages(root), repository: repositoryOf(root) });
    expect(text).toMatch(/^---\nlayout: home\nhero: \{/);
    expect(text).toContain("createService({");
    expect(text).toContain("## What it does that others do not");
    expect(text).not.toContain("| Package");
    expect(text).toContain("](./guide/durable-runs.md)");
  });
});

describe("the anchor of a heading", () => {
  it.each([
    ["Socket.IO", "socketio"],
    ["What a step may do: `run`, or not?", "what-a-step-may-do-run-or-not"],
    ["Über die Größe", "über-die-größe"],
    ["a_b - c", "a_b---c"],
  ])("the anchor of a heading of %s is that of the repository's host", (heading, expected) => {
    expect(slugOf(heading)).toBe(expected);
  });
});

describe("a built site", () => {
  const files = {
    "index.html":
      '<a href="/base/guide/a.html#ein-%C3%A4">a</a> <a href="./guide/">g</a> <a href="https://x.example">x</a>',
    "guide/index.html": '<a href="../index.html">up</a><a href="a">a</a><link href="/base/style.css">',
    "guide/a.html": '<h2 id="ein-ä"></h2><a href="#ein-ä">self</a>',
    "style.css": "",
  };

  it("has no broken link if each leads to a page, a part of it or a file", async () => {
    expect(await findBrokenLinks(folderOf(files), "/base/")).toEqual([]);
  });

  it.each([
    ['<a href="b.html">', "guide/b.html: b.html"],
    ['<a href="/base/none/">', "guide/b.html: /base/none/"],
    ['<a href="a.html#kein">', "guide/b.html: a.html#kein"],
    ['<a href="#kein">', "guide/b.html: #kein"],
    ['<link href="/base/none.css">', "guide/b.html: /base/none.css"],
  ])("a built site with %s says which link of which page is broken", async (text, expected) => {
    const own = expected.endsWith(": b.html") ? { "guide/c.html": text } : { "guide/b.html": text };
    const place = expected.endsWith(": b.html") ? "guide/c.html: b.html" : expected;
    expect(await findBrokenLinks(folderOf({ ...files, ...own }), "/base/")).toEqual([place]);
  });
});
