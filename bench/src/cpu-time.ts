import { readdirSync, readFileSync } from "node:fs";

/**
 * The processor time of a process so far, in milliseconds, from the operating system's account: all its threads, the
 * garbage collector's included, in nanoseconds where the kernel keeps them.
 */
export function cpuTimeMs(pid: number): number {
  const threads = `/proc/${pid}/task`;
  const nanoseconds = readdirSync(threads).map((thread) => onCpu(`${threads}/${thread}/schedstat`));
  return nanoseconds.reduce((sum, value) => sum + value, 0) / 1e6;
}

function onCpu(file: string): number {
  try {
    return Number(readFileSync(file, "utf8").split(" ")[0]);
  } catch {
    // A thread that ended between the listing and the reading.
    return 0;
  }
}
