import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const pages = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "*.md"], { cwd: root, encoding: "utf8" })
  .split("\n")
  .filter((page) => page !== "" && existsSync(join(root, page)) && !page.startsWith(".changeset/"));

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { repository: { url: string } };
const repository = manifest.repository.url.replace(/^git\+/, "").replace(/\.git$/, "");

/** Returns the path, from the page, of what an absolute link to our own repository leads to. */
function withinRepository(target: string, page: string): string {
  const [, path] = /^\/(?:blob|tree)\/main\/(.*)$/.exec(target.slice(repository.length)) ?? [];
  return path === undefined ? target : relative(dirname(page), path);
}

it.each(pages)("every link of %s leads to something in the repository", (page) => {
  const text = readFileSync(join(root, page), "utf8");
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? "");
  const missing = targets
    .map((target) => (target.startsWith(repository) ? withinRepository(target, page) : target))
    .filter((target) => !/^(https?:|#)/.test(target))
    .filter((target) => !existsSync(join(root, dirname(page), target.split("#")[0] ?? "")));

  expect(missing).toEqual([]);
});
