import type { PackageRule } from "./rule.ts";

const published = ["README.md", "LICENSE", "package.json"];

/** Rule: the links of a README work on npm's page. They are absolute, or lead to a file of the published package. */
export const links: PackageRule = ({ path, read }) => {
  const readme = withoutCode(read("README.md") ?? "");
  const anchors = new Set([...readme.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => `#${slugOf(heading)}`));
  return [...readme.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !worksOnNpm(target, anchors))
    .map((target) =>
      target.startsWith("#")
        ? `${path}/README.md: the link ${target} leads to no heading of the page.`
        : `${path}/README.md: the link ${target} does not work on npm: write the address of the file in the repository.`,
    );
};

function worksOnNpm(target: string, anchors: ReadonlySet<string>): boolean {
  if (target.startsWith("https://")) return true;
  return target.startsWith("#") ? anchors.has(target) : published.includes(target.split("#", 1)[0] ?? "");
}

/** Removes code, which may look like a link or a heading. */
function withoutCode(markdown: string): string {
  return markdown.replaceAll(/^```[^]*?^```/gm, "");
}

/** Returns the anchor that GitHub and npm generate for a heading. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}
