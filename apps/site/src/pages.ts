import { readFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import { join } from "node:path";
import { relink, repositoryOf } from "./relink.ts";

/** A page of the site: a Markdown file of the repository, as the site shows it. */
export type Page = {
  /** The file in the repository, such as `docs/guide/README.md`. */
  readonly source: string;
  /** The file in the site, such as `guide/index.md`. */
  readonly path: string;
  readonly title: string;
  /** The Markdown, with links that lead to pages of the site or to the repository. */
  readonly text: string;
};

/** Reads the pages of `docs`, sorted by path. */
export async function readPages(root: string): Promise<Page[]> {
  const files = await Array.fromAsync(glob("docs/**/*.md", { cwd: root }));
  const sources = files.map((file) => file.replaceAll("\\", "/")).toSorted();
  const paths = new Map(sources.map((source) => [source, pathOf(source)]));
  const repository = repositoryOf(root);
  return Array.from(paths, ([source, path]) => {
    const text = readFileSync(join(root, source), "utf8");
    const linked = relink(text, { source, path }, { paths, repository });
    return { source, path, title: titleOf(text), text: linked };
  });
}

/**
 * Returns the path of a page in the site. The folder `docs` is the root of the site, and a README is the index of its
 * folder.
 */
function pathOf(source: string): string {
  return source.replace(/^docs\//, "").replace(/(^|\/)README\.md$/, "$1index.md");
}

function titleOf(text: string): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? "Troupe";
}
