import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Returns the state letter of a process (`T` stopped, `Z` zombie), or `undefined` when there is no such process. */
export function processState(pid: number): string | undefined {
  try {
    // The process name before it is in parentheses and may contain anything.
    return /\) (\w)[^)]*$/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1];
  } catch {
    return undefined;
  }
}

/** Resolves when the process is stopped by a signal (`isStopped`) or runs again, or is gone. */
export async function untilStopped(pid: number, isStopped: boolean): Promise<void> {
  for (;;) {
    const state = processState(pid);
    if (state === undefined || (state === "T") === isStopped) return;
    await sleep(1);
  }
}
