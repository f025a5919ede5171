import { readFileSync } from "node:fs";
import { join } from "node:path";

/** What npm notes about one installed package. */
export interface InstalledPackage {
  /** Where it lies: `node_modules/@troupe/core`. */
  path: string;
  /** Whether only the project's own tools need it. */
  dev?: boolean;
  hasInstallScript?: boolean;
}

/** Every package that npm has installed in the folder, the project itself left out. */
export function readLockfile(folder: string): InstalledPackage[] {
  const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8")) as {
    packages: Record<string, Omit<InstalledPackage, "path">>;
  };
  return Object.entries(packages)
    .filter(([path]) => path !== "")
    .map(([path, facts]) => ({ path, ...facts }));
}
