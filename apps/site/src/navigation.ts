import type { Page } from "./pages.ts";

/** A page in the navigation, with the sentence that describes it if there is one. */
type Entry = { readonly title: string; readonly path: string; readonly description?: string };

/** A group of pages in the navigation. */
export type Group = { readonly title: string; readonly entries: readonly Entry[] };

/** Returns the groups of the guide, in the order of the guide's index, which alone defines it. */
export function guideGroups(index: Page): Group[] {
  return index.text
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title = ""] = section.split("\n", 1);
      return { title, entries: entriesOf(section, "guide/") };
    });
}

/** Returns the group of the recipes, in the order of their index page. */
export function recipeGroup(index: Page): Group {
  return { title: index.title, entries: entriesOf(index.text, "recipes/") };
}

/** Returns the pages that the numbered items of an index name. */
function entriesOf(text: string, folder: string): Entry[] {
  const items = text.matchAll(/^\d+\. \[([^\]]+)\]\(\.\/([^)]+)\): (.+)$/gm);
  return Array.from(items, ([, title = "", file = "", description = ""]) => {
    return { title, path: folder + file, description };
  });
}

/**
 * Returns two groups: the pages of options, and the other pages at the top of `docs` with the index of the decisions.
 */
export function otherGroups(pages: readonly Page[]): Group[] {
  const within = (folder: string) => pages.filter(({ path }) => path.startsWith(folder));
  const toEntry = ({ path, title }: Page): Entry => ({ title: title.replace(/^Options of /, ""), path });
  const top = pages.filter(({ path }) => !path.includes("/"));
  const decisions = within("decisions/").filter(({ path }) => path.endsWith("/index.md"));
  return [
    { title: "Options", entries: within("reference/").map(toEntry) },
    { title: "More", entries: [...top, ...decisions].map(toEntry) },
  ];
}

/** Returns the pages of the guide and the recipes that no index names. The site would not show them. */
export function missingFrom(groups: readonly Group[], pages: readonly Page[]): string[] {
  const named = new Set(groups.flatMap(({ entries }) => entries.map(({ path }) => path)));
  return pages.map(({ path }) => path).filter((path) => /^(guide|recipes)\/(?!index)/.test(path) && !named.has(path));
}
