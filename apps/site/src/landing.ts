import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "./pages.ts";
import { relink } from "./relink.ts";

/**
 * Makes the first page of the site from the README of the repository: from its first sentence, its program and its list
 * of features.
 */
export function landingPage(
  root: string,
  { pages, repository }: { pages: readonly Page[]; repository: string },
): string {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const paths = new Map(pages.map(({ source, path }) => [source, path]));
  const [beginning = "", promises = ""] = readme.split(/^## /m);
  const [, sentence = "", ...rest] = beginning.split("\n\n");
  const text = `${rest.join("\n\n")}\n## ${promises}`;
  const body = relink(text, { source: "README.md", path: "index.md" }, { paths, repository });
  const hero = {
    name: "Troupe",
    text: "Agents, teams and workflows, served by name",
    tagline: sentence,
    actions: [
      { theme: "brand", text: "Start a project", link: "/guide/start-a-project" },
      { theme: "alt", text: "Read the guide", link: "/guide/" },
      { theme: "alt", text: "Repository", link: repository },
    ],
  };
  // The front matter is JSON, because JSON is valid YAML.
  return `---\nlayout: home\nhero: ${JSON.stringify(hero)}\n---\n\n${body}`;
}
