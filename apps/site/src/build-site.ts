import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "vitepress";
import { findBrokenLinks } from "./broken-links.ts";
import { landingPage } from "./landing.ts";
import { guideGroups, missingFrom, otherGroups, recipeGroup } from "./navigation.ts";
import type { Group } from "./navigation.ts";
import { readPages } from "./pages.ts";
import type { Page } from "./pages.ts";
import { repositoryOf } from "./relink.ts";
import { siteConfig } from "./site-config.ts";
import { llmsFullText, llmsText } from "./texts.ts";

const app = join(import.meta.dirname, "..");
const root = join(app, "../..");

/** The text that describes the site to search engines and models. */
const sentence = "Runs language-model agents, teams of agents and workflows, and serves them by name.";

/** A site to build: its folder, which is replaced, and the path that it is served at. */
export type SiteOptions = { readonly folder: string; readonly base: string };

/**
 * Returns the source of a module that exports a configuration. The configuration is data, except for the function that
 * makes the anchors of headings.
 */
function configModule({ markdown, ...data }: ReturnType<typeof siteConfig>): string {
  const from = JSON.stringify(join(import.meta.dirname, "slug-of.ts"));
  const merged = `{ ...${JSON.stringify(data)}, markdown: { ...${JSON.stringify(markdown)}, anchor: { slugify: slugOf } } }`;
  return `import { slugOf } from ${from};\nexport default ${merged};\n`;
}

/** Returns the index page of a folder, which defines the order of the folder's pages. */
function indexOf(pages: readonly Page[], folder: string): Page {
  const index = pages.find(({ path }) => path === `${folder}/index.md`);
  if (index === undefined) throw new Error(`docs/${folder}/README.md is missing: it has the order of the pages.`);
  return index;
}

/**
 * Builds the site from the pages of the repository. Throws for a link that leads nowhere, and for a page that the
 * navigation does not contain.
 */
export async function buildSite({ folder, base }: SiteOptions): Promise<{ pages: number }> {
  const pages = await readPages(root);
  const guide = [...guideGroups(indexOf(pages, "guide")), recipeGroup(indexOf(pages, "recipes"))];
  const missing = missingFrom(guide, pages);
  if (missing.length > 0) throw new Error(`The README.md of the folder does not name ${missing.join(", ")}.`);
  const groups: readonly Group[] = [...guide, ...otherGroups(pages)];
  const repository = repositoryOf(root);
  mkdirSync(join(app, ".cache"), { recursive: true });
  const content = mkdtempSync(join(app, ".cache/content-"));
  const write = (path: string, text: string, to = content): void => {
    mkdirSync(dirname(join(to, path)), { recursive: true });
    writeFileSync(join(to, path), text);
  };
  try {
    for (const { path, text } of pages) write(path, text);
    write("index.md", landingPage(root, { pages, repository }));
    const config = siteConfig({ base, sentence, repository, guide, groups });
    write(".vitepress/config.mjs", configModule(config));
    cpSync(join(app, "theme"), join(content, ".vitepress/theme"), { recursive: true });
    await build(content, { outDir: folder });
  } finally {
    rmSync(content, { recursive: true, force: true });
  }
  for (const { path, text } of pages) write(path, text, folder);
  write("llms.txt", llmsText(sentence, groups), folder);
  write("llms-full.txt", llmsFullText(groups, pages), folder);
  const broken = await findBrokenLinks(folder, base);
  if (broken.length > 0) throw new Error(`Links that lead nowhere:\n${broken.join("\n")}`);
  return { pages: pages.length + 1 };
}
