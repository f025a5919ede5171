import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { bytesBelow, installTarballs } from "./install-tarballs.ts";
import { buildPackages, packPackages } from "./pack-packages.ts";

/**
 * `node tools/packages/install-packed.ts <folder> <package>...` builds and packs all packages. Installs the named
 * packages, and named libraries beside them, in the folder. Prints their number and bytes as JSON.
 */
const root = join(import.meta.dirname, "../..");
const [folder = "", ...names] = process.argv.slice(2);
await buildPackages(root);
const tarballs = join(folder, "tarballs");
const packed = new Map((await packPackages(root, tarballs)).map(({ name, tarball }) => [name, tarball]));
await installTarballs(
  folder,
  names.map((name) => packed.get(name) ?? name),
);
await rm(tarballs, { recursive: true });
const lock = JSON.parse(await readFile(join(folder, "package-lock.json"), "utf8")) as { packages: object };
// The project itself is also in the list.
const packages = Object.keys(lock.packages).length - 1;
console.log(JSON.stringify({ packages, bytes: await bytesBelow(join(folder, "node_modules")) }));
