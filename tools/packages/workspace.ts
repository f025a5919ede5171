import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The fields of a package.json that the rules read. They are unchecked, so all are optional. */
export interface Manifest {
  name?: string;
  version?: string;
  private?: boolean;
  description?: string;
  license?: string;
  keywords?: string[];
  homepage?: string;
  bugs?: string;
  repository?: { type?: string; url?: string; directory?: string };
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

/** A package of the workspace. */
export interface WorkspacePackage {
  /** Path from the root of the repository: `packages/core`. */
  path: string;
  /** Last part of the path: `core`. */
  folder: string;
  manifest: Manifest;
  /** Reads a file of the package. Returns undefined if there is no such file. */
  read: (file: string) => string | undefined;
}

/** The root manifest and all packages. `internal` are the private packages, including those for tests. */
export interface Workspace {
  root: Manifest;
  packages: WorkspacePackage[];
  apps: WorkspacePackage[];
  internal: WorkspacePackage[];
}

/** Reads the workspace from disk. */
export function readWorkspace(root: string): Workspace {
  return {
    root: readManifest(root),
    packages: readPackages(root, "packages"),
    apps: readPackages(root, "apps"),
    internal: ["internal", "tests", "tests/support"].flatMap((top) => readPackages(root, top)),
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
