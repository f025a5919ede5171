import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The fields of a package.json that the rules read. What is written there is checked, so nothing is taken for granted. */
export interface Manifest {
  name?: string;
  version?: string;
  private?: boolean;
  description?: string;
  license?: string;
  type?: string;
  sideEffects?: unknown;
  files?: string[];
  exports?: Record<string, unknown>;
  publishConfig?: { access?: string; exports?: Record<string, unknown> };
  scripts?: Record<string, string>;
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  engines?: Record<string, string>;
}

/** One folder of the workspace. */
export interface WorkspacePackage {
  /** From the root of the repository: `packages/core`. */
  path: string;
  /** The last part of the path: `core`. */
  folder: string;
  manifest: Manifest;
  /** The text of a file of the package, or nothing when there is none. */
  read: (file: string) => string | undefined;
}

/** What the rules judge: the root's manifest and everything below it, sorted by where it lives. */
export interface Workspace {
  root: Manifest;
  packages: WorkspacePackage[];
  apps: WorkspacePackage[];
  internal: WorkspacePackage[];
}

/** Reads the workspace as it stands on disk. */
export function readWorkspace(root: string): Workspace {
  return {
    root: readManifest(root),
    packages: readPackages(root, "packages"),
    apps: readPackages(root, "apps"),
    internal: readPackages(root, "internal"),
  };
}

function readPackages(root: string, top: string): WorkspacePackage[] {
  if (!existsSync(join(root, top))) return [];
  return readdirSync(join(root, top))
    .filter((folder) => existsSync(join(root, top, folder, "package.json")))
    .map((folder) => ({
      path: `${top}/${folder}`,
      folder,
      manifest: readManifest(join(root, top, folder)),
      read: (file) => readIfThere(join(root, top, folder, file)),
    }));
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

function readIfThere(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}
