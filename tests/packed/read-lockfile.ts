import { readFileSync } from "node:fs";
import { join } from "node:path";

/** An installed package, as npm's lockfile describes it. */
export interface InstalledPackage {
  /** Path, such as `node_modules/@troupe/core`. */
  path: string;
  /** True when only development dependencies need it. */
  dev?: boolean;
  hasInstallScript?: boolean;
}

/** Reads all packages that npm installed in the folder, without the project itself. */
export function readLockfile(folder: string): InstalledPackage[] {
  const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8")) as {
    packages: Record<string, Omit<InstalledPackage, "path">>;
  };
  return Object.entries(packages)
    .filter(([path]) => path !== "")
    .map(([path, facts]) => ({ path, ...facts }));
}
