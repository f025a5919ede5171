import { readFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import { join, posix } from "node:path";

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

/** Reads the pages of `docs`, in the order of their paths. */
export async function readPages(root: string): Promise<Page[]> {
  const files = await Array.fromAsync(glob("docs/**/*.md", { cwd: root }));
  const sources = files.map((file) => file.replaceAll("\\", "/")).toSorted();
  const repository = repositoryOf(root);
  return sources.map((source) => {
    const text = readFileSync(join(root, source), "utf8");
    const path = pathOf(source);
    const linked = relink(text, { source, path }, { sources: new Set(sources), repository });
    return { source, path, title: titleOf(text), text: linked };
  });
}

/** Returns the address of the repository for people. */
export function repositoryOf(root: string): string {
  const { repository } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    repository: { url: string };
  };
  return repository.url.replace(/^git\+/, "").replace(/\.git$/, "");
}

/** The files that the site shows, and the address of the repository, where all others are. */
type Targets = { readonly sources: ReadonlySet<string>; readonly repository: string };

/** Lets the relative links of a page lead to pages of the site, and to the repository for what the site does not show. */
export function relink(
  text: string,
  { source, path: from }: Pick<Page, "source" | "path">,
  { sources, repository }: Targets,
): string {
  return text.replaceAll(/\]\((?!https?:|#|mailto:)([^)\s#]+)(#[^)\s]*)?\)/g, (_link, target: string, part = "") => {
    const file = posix.join(posix.dirname(source), target);
    if (!sources.has(file)) return `](${repository}/blob/main/${file}${part})`;
    const path = posix.relative(posix.dirname(from), pathOf(file));
    return `](${path.startsWith(".") ? path : `./${path}`}${part})`;
  });
}

/** Returns the path of a page in the site: `docs` is its root, and a README the index of its folder. */
function pathOf(source: string): string {
  return source.replace(/^docs\//, "").replace(/(^|\/)README\.md$/, "$1index.md");
}

function titleOf(text: string): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? "Troupe";
}
