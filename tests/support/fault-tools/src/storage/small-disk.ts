import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A mounted file system of three megabytes. */
export type SmallDisk = {
  folder: string;
  /** Remounts the file system read-only or writable. */
  setReadOnly: (isReadOnly: boolean) => void;
  remove: () => void;
};

/**
 * Mounts a small disk. Returns `undefined` if this process may not mount. Throws instead if `requiredServices` includes
 * `tmpfs`.
 */
export function mountSmallDisk(requiredServices = ""): SmallDisk | undefined {
  const folder = mkdtempSync(join(tmpdir(), "troupe-small-disk-"));
  try {
    run("mount", "-t", "tmpfs", "-o", "size=3M", "tmpfs", folder);
  } catch (error) {
    rmSync(folder, { recursive: true });
    if (requiredServices.split(",").includes("tmpfs")) throw error;
    return undefined;
  }
  return {
    folder,
    setReadOnly: (isReadOnly) => run("mount", "-o", `remount,${isReadOnly ? "ro" : "rw"}`, folder),
    remove: () => {
      run("umount", "--lazy", folder);
      rmSync(folder, { recursive: true });
    },
  };
}

function run(program: string, ...args: string[]): void {
  execFileSync(program, args, { stdio: "pipe" });
}
