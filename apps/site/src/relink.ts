import { readFileSync } from "node:fs";
import { join, posix } from "node:path";

/** A Markdown file of the repository that is shown elsewhere, under another path. */
type ShownPage = { readonly source: string; readonly path: string };

/** The targets of links: the shown pages by their source, and the repository for all other files. */
export type LinkTargets = { readonly paths: ReadonlyMap<string, string>; readonly repository: string };

/**
 * Changes the relative links of a page, so that they lead to other shown pages, or to the repository for all other
 * files.
 */
export function relink(text: string, { source, path: from }: ShownPage, { paths, repository }: LinkTargets): string {
  return text.replaceAll(/\]\((?!https?:|#|mailto:)([^)\s#]+)(#[^)\s]*)?\)/g, (_link, target: string, part = "") => {
    const file = posix.join(posix.dirname(source), target);
    const shown = paths.get(file);
    if (shown === undefined) return `](${repository}/blob/main/${file}${part})`;
    const path = posix.relative(posix.dirname(from), shown);
    return `](${path.startsWith(".") ? path : `./${path}`}${part})`;
  });
}

/** Returns the web address of the repository. */
export function repositoryOf(root: string): string {
  const { repository } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    repository: { url: string };
  };
  return repository.url.replace(/^git\+/, "").replace(/\.git$/, "");
}
