import { isBeforeUtf8 } from "../util/compare-utf8.ts";

const maxBlock = 512;

/** True for the keys before a place in the order, false for those behind it. */
export type IsBefore = (key: string) => boolean;

/**
 * Keys in the order of their UTF-8 bytes, in blocks, so that adding or removing one among a million moves only the few
 * hundred beside it.
 */
export class SortedKeys {
  // No block is ever empty.
  readonly #blocks: string[][] = [];

  /** Adds a key that is not in. */
  add(key: string): void {
    const { block, index } = this.#find(isBeforeUtf8(key));
    // Behind the last key is the end of the last block.
    const at = Math.min(block, this.#blocks.length - 1);
    const keys = this.#blocks[at];
    if (keys === undefined) this.#blocks.push([key]);
    else {
      keys.splice(at === block ? index : keys.length, 0, key);
      if (keys.length > maxBlock) this.#blocks.splice(at + 1, 0, keys.splice(maxBlock / 2));
    }
  }

  /** Removes a key that is in. */
  remove(key: string): void {
    const { block, index } = this.#find(isBeforeUtf8(key));
    this.#blocks[block]?.splice(index, 1);
    this.#shrink(block);
  }

  /** @yields the keys behind a place, first to last */
  *behind(isBefore: IsBefore): Generator<string, void> {
    let { block, index } = this.#find(isBefore);
    for (; block < this.#blocks.length; block++, index = 0) {
      const keys = this.#blocks[block] ?? [];
      for (; index < keys.length; index++) yield keys[index] as string;
    }
  }

  /** @yields the keys before a place, last to first */
  *before(isBefore: IsBefore): Generator<string, void> {
    let { block, index } = this.#find(isBefore);
    for (; block >= 0; block--, index = Infinity) {
      const keys = this.#blocks[block] ?? [];
      for (let at = Math.min(index, keys.length) - 1; at >= 0; at--) yield keys[at] as string;
    }
  }

  /** Keys that come and go would leave more and more blocks with few keys in each. */
  #shrink(block: number): void {
    const [keys = [], next = []] = [this.#blocks[block], this.#blocks[block + 1]];
    if (keys.length === 0) this.#blocks.splice(block, 1);
    else if (next.length > 0 && keys.length + next.length <= maxBlock / 2) {
      this.#blocks.splice(block, 2, [...keys, ...next]);
    }
  }

  #find(isBefore: IsBefore): { block: number; index: number } {
    const block = countBefore(this.#blocks, (keys) => isBefore(keys.at(-1) as string));
    return { block, index: countBefore(this.#blocks[block] ?? [], isBefore) };
  }
}

/** Counts the items before a place, in a list where all of those come first. */
function countBefore<Item>(items: readonly Item[], isBefore: (item: Item) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(items[middle] as Item)) low = middle + 1;
    else high = middle;
  }
  return low;
}
