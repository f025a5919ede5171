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

/** Returns the processor time of the processes that a process has started and that still run, in milliseconds. */
export function childrenCpuTimeMs(pid: number): number {
  const children = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && parentOf(Number(name)) === pid);
  return children.reduce((sum, child) => sum + cpuTimeIfRunningMs(Number(child)), 0);
}

/** Returns the parent of a process; 0 if the process has ended. */
export function parentOf(pid: number): number {
  try {
    // The name of the program, in parentheses, may hold anything.
    const [, parent] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return Number(parent);
  } catch {
    return 0;
  }
}

function cpuTimeIfRunningMs(pid: number): number {
  try {
    return cpuTimeMs(pid);
  } catch {
    // A process that ended between the listing and the reading.
    return 0;
  }
}

function onCpu(file: string): number {
  try {
    return Number(readFileSync(file, "utf8").split(" ")[0]);
  } catch {
    // A thread that ended between the listing and the reading.
    return 0;
  }
}
