import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildPackages, packPackages } from "../../../tools/packages/pack-packages.ts";
import type { PackedPackage } from "../../../tools/packages/pack-packages.ts";
import { installTarballs } from "../../../tools/packages/install-tarballs.ts";

const root = join(import.meta.dirname, "../../..");

/** A project outside the workspace to install: its folder's name, and names of our packages and of libraries. */
export type PackedProject = { name: string; ours: readonly string[]; libraries: readonly string[] };

/** Builds and packs all packages, installs each project from the tarballs, and removes all of it when `use` has ended. */
export async function withPacked(
  projects: readonly PackedProject[],
  use: (folders: readonly string[]) => Promise<void>,
): Promise<void> {
  await buildPackages(root);
  const folder = await mkdtemp(join(tmpdir(), "troupe-bench-"));
  try {
    const packed = await packPackages(root, join(folder, "tarballs"));
    const folders: string[] = [];
    for (const project of projects) folders.push(await install(packed, project, join(folder, project.name)));
    await use(folders);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function install(packed: readonly PackedPackage[], { ours, libraries }: PackedProject, folder: string) {
  const tarballs = packed.filter(({ name }) => ours.includes(name)).map(({ tarball }) => tarball);
  await installTarballs(folder, [...tarballs, ...libraries]);
  await cp(join(import.meta.dirname, ".."), join(folder, "src"), { recursive: true });
  return folder;
}
