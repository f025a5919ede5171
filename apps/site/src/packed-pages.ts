import { globSync, readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { relink, repositoryOf } from "./relink.ts";

/** The pages for users of the packages. The other pages of `docs` are for developers who change the code. */
const pages = [
  "docs/guide/*.md",
  "docs/recipes/*.md",
  "docs/reference/*.md",
  "docs/!(architecture|glossary-of-the-code).md",
];

/**
 * Writes the pages for users into the package of core, as every installation has it: editors and coding agents then
 * read the pages of the installed version, without a network.
 */
export async function writePackedPages(root: string, folder: string): Promise<void> {
  const repository = repositoryOf(root);
  const paths = new Map(globSync(pages, { cwd: root }).map((source) => [source, source.replace(/^docs\//, "")]));
  for (const [source, path] of paths) {
    const text = relink(readFileSync(join(root, source), "utf8"), { source, path }, { paths, repository });
    await mkdir(dirname(join(folder, path)), { recursive: true });
    // Code blocks name their file in the repository, which the package does not contain. The name is removed.
    await writeFile(join(folder, path), text.replaceAll(/^(```\w+) \S+$/gm, "$1"));
  }
  const shown = new Set(paths.values());
  for (const old of globSync("**/*.md", { cwd: folder })) if (!shown.has(old)) await rm(join(folder, old));
}

// Run `node apps/site/src/packed-pages.ts` after core has been built.
if (import.meta.main) {
  const root = join(import.meta.dirname, "../../..");
  await writePackedPages(root, join(root, "packages/core/dist/docs"));
}
