import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { mustRun } from "./run-command.ts";

const npmOptions = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"];

/** Installs tarballs and registry libraries with npm in a folder. Makes the folder a project if necessary. */
export async function installTarballs(folder: string, specs: readonly string[]): Promise<string> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), '{ "private": true, "type": "module" }', { flag: "wx" }).catch(
    ignoreKnown,
  );
  await mustRun("npm", ["install", ...npmOptions, ...specs], { cwd: folder });
  return folder;
}

/** Returns the bytes of all files below a folder. */
export async function bytesBelow(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = files
    .filter((file) => file.isFile())
    .map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

function ignoreKnown(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}
