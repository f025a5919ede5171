import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";

/** Linux's file system in memory. A container may have little of it. */
const memory = "/dev/shm";
const neededBytes = 2 ** 30;

/**
 * Returns a folder for the database files of tests: in memory where there is room, since a disk takes milliseconds for each
 * commit, and many more while others write. Else the system's folder for temporary files.
 */
export function folderInMemory(): string {
  try {
    const { bavail, bsize } = statfsSync(memory);
    if (bavail * bsize >= neededBytes) return memory;
  } catch {
    // Another system.
  }
  return tmpdir();
}
