import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");

/** Collects the garbage of this process. */
export const collectGarbage = runInNewContext("gc") as () => void;

/** The bytes of the heap of this process that are in use, without garbage. */
export function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** The number of file descriptors of this process that are open. */
export function descriptors(): number {
  return readdirSync("/proc/self/fd").length;
}

/** The number of processes that this one has started and that run. */
export function children(): number {
  const listed = execFileSync("ps", ["-o", "pid=", "--ppid", String(process.pid)], { encoding: "utf8" });
  // One of them is ps.
  return listed.trim().split("\n").length - 1;
}

/** The number of listeners on this process and its standard streams. */
export function processListeners(): number {
  const emitters = [process, process.stdin, process.stdout, process.stderr];
  return emitters.reduce(
    (sum, each) => sum + each.eventNames().reduce((of, name) => of + each.listenerCount(name), 0),
    0,
  );
}

/** The number of timers that keep this process alive or are to run. */
export function timers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
}
