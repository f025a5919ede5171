import { setImmediate } from "node:timers/promises";
import type { KeyRange } from "./vector-tables.ts";

// Milliseconds.
const shortest = 1.5;
const longest = 5;
const mostAtOnce = 8;

/** Lets other work of the process run whenever this work has taken some milliseconds. */
export class Pauses {
  #began = performance.now();

  /** True when it is time to call `pause`. */
  get isDue(): boolean {
    return performance.now() - this.#began > mostAtOnce;
  }

  async pause(): Promise<void> {
    await setImmediate();
    this.#began = performance.now();
  }
}

/**
 * Calls `work` with each part of a range of keys. How many keys a part has follows from how long the part before took,
 * because few of them may exist, vectors may be long, and a disk may be slow.
 */
export async function eachKeyWindow({ after, last }: KeyRange, work: (window: KeyRange) => void): Promise<void> {
  const pauses = new Pauses();
  let width = 256;
  for (let start = after; start < last;) {
    const end = Math.min(start + width, last);
    const began = performance.now();
    work({ after: start, last: end });
    const took = performance.now() - began;
    if (took < shortest) width *= 2;
    else if (took > longest) width = Math.max(16, Math.floor(width / 2));
    start = end;
    if (start < last && pauses.isDue) await pauses.pause();
  }
}
