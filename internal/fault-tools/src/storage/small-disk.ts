import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A disk of three megabytes. */
export type SmallDisk = {
  folder: string;
  /** Lets it be read only, or written again. */
  setReadOnly: (isReadOnly: boolean) => void;
  remove: () => void;
};

/** Mounts one, or says with `undefined` that this process may not; where the required services list `tmpfs` that is an error. */
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
