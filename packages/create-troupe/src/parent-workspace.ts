import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

/** A workspace of a package manager in a folder above a project. */
export interface ParentWorkspace {
  /** The path of the file that declares the workspace. */
  readonly file: string;
  /** True if the workspace's patterns match the folder of the project, so that the project is a member. */
  readonly isMember: boolean;
}

/** Finds the nearest workspace in the folders above a project. */
export function findParentWorkspace(project: string): ParentWorkspace | undefined {
  for (let folder = dirname(project); ; folder = dirname(folder)) {
    const found = readWorkspace(folder);
    if (found !== undefined) {
      const path = relative(folder, project).split(sep).join("/");
      return { file: found.file, isMember: isNamedBy(found.patterns, path) };
    }
    if (folder === dirname(folder)) return undefined;
  }
}

function readWorkspace(folder: string): { file: string; patterns: readonly string[] } | undefined {
  const ofPnpm = join(folder, "pnpm-workspace.yaml");
  if (existsSync(ofPnpm)) return { file: ofPnpm, patterns: patternsInYaml(readFileSync(ofPnpm, "utf8")) };
  const manifest = join(folder, "package.json");
  const patterns = existsSync(manifest) ? patternsInManifest(readFileSync(manifest, "utf8")) : undefined;
  return patterns && { file: manifest, patterns };
}

/** Returns the items of `packages` in a `pnpm-workspace.yaml`. Only lists with one item per line are read. */
function patternsInYaml(text: string): string[] {
  const [, list = ""] = /^packages:[^\S\n]*\n((?:[^\S\n]*(?:-|#).*\n?|\s*\n)+)/m.exec(`${text}\n`) ?? [];
  return [...list.matchAll(/^\s*-\s+["']?([^"'#\n]+?)["']?\s*(?:#.*)?$/gm)].map(([, pattern = ""]) => pattern);
}

function patternsInManifest(text: string): readonly string[] | undefined {
  try {
    const { workspaces } = JSON.parse(text) as { workspaces?: unknown };
    const list = Array.isArray(workspaces) ? workspaces : (workspaces as { packages?: unknown } | undefined)?.packages;
    return Array.isArray(list) ? list.map(String) : undefined;
  } catch {
    // A manifest that cannot be read declares no workspace. The package manager will report the problem.
    return undefined;
  }
}

function isNamedBy(patterns: readonly string[], path: string): boolean {
  const excluded = patterns.filter((pattern) => pattern.startsWith("!")).map((pattern) => pattern.slice(1));
  const included = patterns.filter((pattern) => !pattern.startsWith("!"));
  return included.some((pattern) => matches(pattern, path)) && !excluded.some((pattern) => matches(pattern, path));
}

/** Returns true if a pattern with `*` and `**` matches a path with slashes. */
function matches(pattern: string, path: string): boolean {
  const source = pattern
    .replace(/^\.\//, "")
    .replace(/\/$/, "")
    .replaceAll(/[.+^${}()|[\]\\?]/g, "\\$&")
    .replaceAll(/\*\*\/?|\*/g, (stars) => (stars === "*" ? "[^/]*" : ".*"));
  return new RegExp(`^${source}$`, "u").test(path);
}
