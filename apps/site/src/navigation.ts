import type { Page } from "./pages.ts";

/** A page in the navigation, with the sentence that describes it if there is one. */
type Entry = { readonly title: string; readonly path: string; readonly description?: string };

/** A group of pages in the navigation. */
export type Group = { readonly title: string; readonly entries: readonly Entry[] };

/** Returns the groups of the guide, in the order of its index, which is the only place that has it. */
export function guideGroups(index: Page): Group[] {
  return index.text
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title = ""] = section.split("\n", 1);
      const items = section.matchAll(/^\d+\. \[([^\]]+)\]\(\.\/([^)]+)\): (.+)$/gm);
      const entries = Array.from(items, ([, name = "", file = "", description = ""]) => {
        return { title: name, path: `guide/${file}`, description };
      });
      return { title, entries };
    });
}

/** Returns the group of the pages of options, and that of all pages that are neither guide, options nor decisions. */
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

/** Returns the pages of the guide that its index does not name: a site without them would hide them. */
export function missingFrom(groups: readonly Group[], pages: readonly Page[]): string[] {
  const named = new Set(groups.flatMap(({ entries }) => entries.map(({ path }) => path)));
  return pages.map(({ path }) => path).filter((path) => /^guide\/(?!index)/.test(path) && !named.has(path));
}
