import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";

/** The in-memory file system of Linux. In a container it may be small. */
const memory = "/dev/shm";
const neededBytes = 2 ** 30;

/**
 * Returns a folder for the database files of tests. It is in memory if there is room, because a disk takes milliseconds
 * per commit, and many more while others write. Otherwise it is the system's folder for temporary files.
 */
export function folderInMemory(): string {
  try {
    const { bavail, bsize } = statfsSync(memory);
    if (bavail * bsize >= neededBytes) return memory;
  } catch {
    // The operating system has no such file system.
  }
  return tmpdir();
}
