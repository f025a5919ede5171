import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Returns the state letter of a process (`T` stopped, `Z` zombie), or `undefined` if the process does not exist. */
export function processState(pid: number): string | undefined {
  try {
    // The process name before the state is in parentheses and may contain any characters.
    return /\) (\w)[^)]*$/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1];
  } catch {
    return undefined;
  }
}

/**
 * Resolves when the process is stopped by a signal (`isStopped`) or runs again. Also resolves if the process no longer
 * exists.
 */
export async function untilStopped(pid: number, isStopped: boolean): Promise<void> {
  for (;;) {
    const state = processState(pid);
    if (state === undefined || (state === "T") === isStopped) return;
    await sleep(1);
  }
}
