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

/** The size of the parts of `eachKeyWindow`. */
export type WindowSize = {
  /** The most documents that a part may have, however fast the parts before were. */
  readonly most: number;
  /** Returns the last key of the next so many documents, where they are few among the keys; `undefined` if there are none. */
  readonly endOf?: ((after: number, count: number) => number | undefined) | undefined;
};

/**
 * Calls `work` with each part of a range of keys. How many documents a part has follows from how long the part before
 * took, because vectors may be long, and a disk may be slow.
 */
export async function eachKeyWindow(
  { after, last }: KeyRange,
  { most, endOf = (start, count) => start + count }: WindowSize,
  work: (window: KeyRange) => void,
): Promise<void> {
  const pauses = new Pauses();
  let count = Math.min(256, most);
  for (let start = after; start < last;) {
    const began = performance.now();
    const end = Math.min(endOf(start, count) ?? last, last);
    work({ after: start, last: end });
    const took = performance.now() - began;
    if (took < shortest) count = Math.min(2 * count, most);
    else if (took > longest) count = Math.max(16, Math.floor(count / 2));
    start = end;
    if (start < last && pauses.isDue) await pauses.pause();
  }
}
