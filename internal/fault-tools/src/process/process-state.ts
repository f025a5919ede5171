import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** The letter that the system has for what a process does (`T` stopped, `Z` zombie); `undefined` when there is none. */
export function processState(pid: number): string | undefined {
  try {
    // The name before it stands in parentheses and may hold anything.
    return /\) (\w)[^)]*$/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1];
  } catch {
    return undefined;
  }
}

/** Resolves when the process is, or is no longer, stopped by a signal. */
export async function untilStopped(pid: number, isStopped: boolean): Promise<void> {
  for (;;) {
    const state = processState(pid);
    if (state === undefined || (state === "T") === isStopped) return;
    await sleep(1);
  }
}
