import { setImmediate } from "node:timers/promises";
import type { KeyRange } from "./vector-tables.ts";

// Smallest duration of a window's work in milliseconds; after a faster window, the next window is larger.
const shortest = 1.5;
const longest = 5;
const mostAtOnce = 8;

/** Lets long work pause after some milliseconds, so that other work of the process can run. */
export class Pauses {
  #began = performance.now();

  /** True if it is time to call `pause`. */
  get isDue(): boolean {
    return performance.now() - this.#began > mostAtOnce;
  }

  async pause(): Promise<void> {
    await setImmediate();
    this.#began = performance.now();
  }
}

/** The window size for `eachKeyWindow`. */
export type WindowSize = {
  /** Largest number of documents in a window, however fast earlier windows were. */
  readonly most: number;
  /**
   * Returns the last key of the next `count` documents if they are sparse among the keys; `undefined` if no document is
   * left.
   */
  readonly endOf?: ((after: number, count: number) => number | undefined) | undefined;
};

/**
 * Calls `work` with each window (a number of consecutive keys) of a range of keys. The size of a window depends on the
 * duration of the previous window, because vectors may be long and disks slow.
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
