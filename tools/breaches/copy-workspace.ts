import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative, sep } from "node:path";

const leftOut = new Set(["node_modules", "dist", "coverage", ".git", ".turbo"]);
const caches = new Set([".cache", ".vite", ".vite-temp"]);

/** Copies the workspace as it stands to a folder outside of it; what is installed is linked, not copied. */
export function copyWorkspace(root: string): string {
  const copy = mkdtempSync(join(realpathSync(tmpdir()), "troupe-breaches-"));
  cpSync(root, copy, { recursive: true, filter: (source) => !leftOut.has(basename(source)) });
  for (const folder of workspaceFolders(root)) linkModules(join(folder, "node_modules"), { root, copy });
  return copy;
}

function workspaceFolders(root: string): string[] {
  const children = (folder: string): string[] =>
    readdirSync(join(root, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(folder, name));
  const inside = ["packages", "apps", "internal"].filter((folder) => existsSync(join(root, folder))).flatMap(children);
  return [".", "bench", ...inside];
}

/** Links each installed package; a link to a package of the workspace leads to its copy. */
function linkModules(folder: string, { root, copy }: { root: string; copy: string }): void {
  if (!existsSync(join(root, folder))) return;
  mkdirSync(join(copy, folder), { recursive: true });
  for (const name of readdirSync(join(root, folder))) {
    const path = join(folder, name);
    if (name.startsWith("@")) linkModules(path, { root, copy });
    else if (!caches.has(name)) symlinkSync(linkTarget(join(root, path), { root, copy }), join(copy, path));
  }
}

function linkTarget(installed: string, { root, copy }: { root: string; copy: string }): string {
  const path = relative(realpathSync(root), realpathSync(installed));
  const isOurs = !path.startsWith("..") && !path.split(sep).includes("node_modules");
  return isOurs ? join(copy, path) : installed;
}
