import { execFile } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const installer = join(import.meta.dirname, "../../../../tools/packages/install-packed.ts");

/** An installed project: its folder, the number of its packages, and their bytes. */
export type PackedProject = { folder: string; packages: number; bytes: number };

/**
 * Installs packages of ours as they are published, and libraries of the registry, in a folder outside the workspace, with the
 * bench's own files beside them, and removes it when `use` has ended.
 */
export async function withPacked(names: readonly string[], use: (project: PackedProject) => Promise<void>) {
  const folder = await mkdtemp(join(tmpdir(), "troupe-bench-"));
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [installer, folder, ...names]);
    await cp(join(import.meta.dirname, ".."), join(folder, "src"), { recursive: true });
    await use({ folder, ...(JSON.parse(stdout) as Omit<PackedProject, "folder">) });
  } finally {
    await rm(folder, { recursive: true });
  }
}
