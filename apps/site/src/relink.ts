import { readFileSync } from "node:fs";
import { join, posix } from "node:path";

/** A Markdown file of the repository that is shown elsewhere under another path. */
type ShownPage = { readonly source: string; readonly path: string };

/** The places that links lead to: the shown pages by their source, and the repository for all other files. */
export type LinkTargets = { readonly paths: ReadonlyMap<string, string>; readonly repository: string };

/** Lets the relative links of a page lead to the other pages that are shown, and to the repository for all other files. */
export function relink(text: string, { source, path: from }: ShownPage, { paths, repository }: LinkTargets): string {
  return text.replaceAll(/\]\((?!https?:|#|mailto:)([^)\s#]+)(#[^)\s]*)?\)/g, (_link, target: string, part = "") => {
    const file = posix.join(posix.dirname(source), target);
    const shown = paths.get(file);
    if (shown === undefined) return `](${repository}/blob/main/${file}${part})`;
    const path = posix.relative(posix.dirname(from), shown);
    return `](${path.startsWith(".") ? path : `./${path}`}${part})`;
  });
}

/** Returns the address of the repository for people. */
export function repositoryOf(root: string): string {
  const { repository } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    repository: { url: string };
  };
  return repository.url.replace(/^git\+/, "").replace(/\.git$/, "");
}
