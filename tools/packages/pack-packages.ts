import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { mustRun } from "./run-command.ts";
import { runPnpm } from "./run-pnpm.ts";

/** A packed package. */
export interface PackedPackage {
  name: string;
  /** The path of the file that a registry would receive. */
  tarball: string;
  /** The folder with its unpacked content. */
  unpacked: string;
}

/** Builds every published package that has changed, with its dependencies, and puts the pages for users into core. */
export async function buildPackages(root: string): Promise<void> {
  await runPnpm(["run", "--silent", "build", "--filter=./packages/*", "--output-logs=errors-only"], root);
  await mustRun(process.execPath, ["apps/site/src/packed-pages.ts"], { cwd: root });
}

/** Packs every published package into the folder. They must be built already. */
export async function packPackages(root: string, destination: string): Promise<PackedPackage[]> {
  const pack = ["--recursive", "--filter", "./packages/*", "pack", "--json", "--pack-destination", destination];
  const packed = [JSON.parse(await runPnpm(pack, root))].flat() as { name: string; filename: string }[];
  return await Promise.all(packed.map(({ name, filename }) => unpack(name, filename, destination)));
}

async function unpack(name: string, tarball: string, destination: string): Promise<PackedPackage> {
  const unpacked = join(destination, "unpacked", name);
  await mkdir(unpacked, { recursive: true });
  await mustRun("tar", ["-xzf", tarball, "-C", unpacked, "--strip-components=1"], { cwd: destination });
  return { name, tarball, unpacked };
}
