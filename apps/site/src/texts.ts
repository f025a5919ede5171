import type { Group } from "./navigation.ts";
import type { Page } from "./pages.ts";

/** Makes `llms.txt`: the pages of the guide with their descriptions, and the titles of all other pages. */
export function llmsText(sentence: string, groups: readonly Group[]): string {
  const sections = groups.map(({ title, entries }) => {
    const lines = entries.map(({ title: name, path, description }) => {
      return `- [${name}](/${path})${description === undefined ? "" : `: ${description}`}`;
    });
    return `## ${title}\n\n${lines.join("\n")}\n`;
  });
  return [`# Troupe\n\n> ${sentence}\n`, ...sections].join("\n");
}

/** Makes `llms-full.txt`: all pages of the groups in one text, in the order of the navigation. */
export function llmsFullText(groups: readonly Group[], pages: readonly Page[]): string {
  const byPath = new Map(pages.map((page) => [page.path, page.text]));
  return groups.flatMap(({ entries }) => entries.map(({ path }) => byPath.get(path) ?? "")).join("\n");
}
