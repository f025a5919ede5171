import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Manifest, Workspace } from "./workspace.ts";

const folders = "{packages,apps,internal,tools,tests,examples}";
// Templates, and programs of other products in recipes, are sources outside of the workspace, which import what they like.
const foreign = new Set(["node_modules", "dist", "__fixtures__", "templates", "foreign", ".cache"]);

/** Reads every source file and manifest of the repository, except built, installed and recorded files, and templates. */
export function readWorkspace(root: string): Workspace {
  const find = (pattern: string): string[] =>
    globSync(pattern, { cwd: root, exclude: (path) => foreign.has(path.split("/").at(-1) ?? "") }).toSorted();
  const read = (path: string): string => readFileSync(join(root, path), "utf8");

  return {
    files: [...find("*.{ts,mts,mjs}"), ...find(`${folders}/**/*.{ts,mts,cts,tsx,js,mjs,cjs}`)].map((path) => ({
      path,
      text: read(path),
    })),
    manifests: [
      ...find("package.json"),
      ...find(`${folders}/*/package.json`),
      ...find("tests/support/*/package.json"),
    ].map((path) => toManifest(path, read(path))),
  };
}

function toManifest(path: string, text: string): Manifest {
  const content = JSON.parse(text) as Record<string, unknown>;
  const names = (field: string): string[] => Object.keys(content[field] ?? {});
  const folder = dirname(path);
  const dependencies = ["dependencies", "peerDependencies", "optionalDependencies"].flatMap(names);
  const imports = (content["imports"] ?? {}) as Record<string, { readonly default?: string }>;
  return {
    folder: folder === "." ? "" : folder,
    name: String(content["name"]),
    dependencies,
    devDependencies: names("devDependencies"),
    replaceable: Object.keys(imports).filter((name) => dependencies.includes(imports[name]?.default ?? "")),
  };
}
