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

/** Returns the processor time of all processes that a process has started, also of those that have ended. */
export function childrenCpuTimeMs(pid: number): number {
  const children = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && parentOf(Number(name)) === pid);
  const runningMs = children.reduce((sum, child) => sum + cpuTimeIfRunningMs(Number(child)), 0);
  const fields = statOf(pid);
  return runningMs + (Number(fields[userTimeOfEnded]) + Number(fields[systemTimeOfEnded])) * tickMs;
}

/** Returns the parent of a process; 0 if the process has ended. */
export function parentOf(pid: number): number {
  try {
    return Number(statOf(pid)[1]);
  } catch {
    return 0;
  }
}

/** The places of the times of ended children among the fields of `statOf`, and the unit of these times. */
const userTimeOfEnded = 13;
const systemTimeOfEnded = 14;
const tickMs = 10;

/** Returns what the system tells of a process, behind the name of its program. */
function statOf(pid: number): string[] {
  // The name, in parentheses, may hold anything.
  return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
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
