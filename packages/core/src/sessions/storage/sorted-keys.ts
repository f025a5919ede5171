import { compareUtf8, isBeforeUtf8 } from "../../base/util/compare-utf8.ts";

const maxBlock = 512;

/** Position in a `SortedKeys`, as a predicate: true for keys before the position, false for keys after it. */
export type IsBefore = (key: string) => boolean;

/**
 * Keys of storage in memory, sorted by their UTF-8 bytes, in blocks: adding or removing a key moves only the few
 * hundred keys of its block.
 */
export class SortedKeys {
  // The sorted keys in blocks of consecutive keys. A block is removed when it loses its last key.
  readonly #blocks: string[][] = [];

  /** Makes a `SortedKeys` of distinct keys in any order. */
  static of(keys: Iterable<string>): SortedKeys {
    const sorted = new SortedKeys();
    const all = [...keys].toSorted(compareUtf8);
    for (let start = 0; start < all.length; start += maxBlock) sorted.#blocks.push(all.slice(start, start + maxBlock));
    return sorted;
  }

  /** Adds a key that the sorted keys do not include yet. */
  add(key: string): void {
    const { block, index } = this.#find(isBeforeUtf8(key));
    // A key after the last key belongs at the end of the last block.
    const at = Math.min(block, this.#blocks.length - 1);
    const keys = this.#blocks[at];
    if (keys === undefined) this.#blocks.push([key]);
    else {
      keys.splice(at === block ? index : keys.length, 0, key);
      if (keys.length > maxBlock) this.#blocks.splice(at + 1, 0, keys.splice(maxBlock / 2));
    }
  }

  /** Removes a key that the sorted keys include. */
  remove(key: string): void {
    const { block, index } = this.#find(isBeforeUtf8(key));
    this.#blocks[block]?.splice(index, 1);
    this.#shrink(block);
  }

  /** @yields the keys after a position, first to last */
  *after(isBefore: IsBefore): Generator<string, void> {
    let { block, index } = this.#find(isBefore);
    for (; block < this.#blocks.length; block++, index = 0) {
      const keys = this.#blocks[block] ?? [];
      for (; index < keys.length; index++) yield keys[index] as string;
    }
  }

  /** @yields the keys before a position, last to first */
  *before(isBefore: IsBefore): Generator<string, void> {
    let { block, index } = this.#find(isBefore);
    for (; block >= 0; block--, index = Infinity) {
      const keys = this.#blocks[block] ?? [];
      for (let at = Math.min(index, keys.length) - 1; at >= 0; at--) yield keys[at] as string;
    }
  }

  /**
   * Removes an empty block, and merges small blocks, because removals would otherwise leave many blocks with few keys.
   */
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

/** Counts the items before a position, by binary search in a sorted array. */
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
