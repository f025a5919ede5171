import { readdirSync, readFileSync } from "node:fs";

/**
 * Returns the processor time of a process in milliseconds, as the operating system counts it: all threads, those of the
 * garbage collector included.
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
