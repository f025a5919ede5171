import { compareUtf8 } from "../../base/util/compare-utf8.ts";

/** A candidate item during a search in memory, with its score: the higher, the nearer. */
export type ScoredItem<Item extends { id: string }> = { readonly item: Item; readonly score: number };

/**
 * Collects the `limit` items with the best scores while a search visits all items. It is a heap with the farthest item
 * on top, so that most items are rejected immediately.
 */
export class NearestItems<Item extends { id: string }> {
  readonly #limit: number;
  readonly #heap: ScoredItem<Item>[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Returns true if an item with this score may be kept. If its score equals the lowest kept score, `add` compares the
   * ids.
   */
  wants(score: number): boolean {
    const [farthest] = this.#heap;
    return farthest === undefined || this.#heap.length < this.#limit || score >= farthest.score;
  }

  /** Adds the item if it is near enough, and drops the farthest item beyond the limit. */
  add(scored: ScoredItem<Item>): void {
    const [farthest] = this.#heap;
    if (farthest === undefined || this.#heap.length < this.#limit) this.#rise(scored);
    else if (compareNearness(scored, farthest) < 0) this.#sink(scored);
  }

  /** Returns the kept items, best first, and equal scores by id. */
  toSorted(): ScoredItem<Item>[] {
    return this.#heap.toSorted(compareNearness);
  }

  /** Adds an item at the bottom of the heap and moves it up past all nearer items. */
  #rise(scored: ScoredItem<Item>): void {
    let at = this.#heap.length;
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      if (compareNearness(scored, this.#at(parent)) <= 0) break;
      this.#heap[at] = this.#at(parent);
      at = parent;
    }
    this.#heap[at] = scored;
  }

  /** Replaces the farthest item of the heap by another item, which is then moved down past all farther items. */
  #sink(scored: ScoredItem<Item>): void {
    let at = 0;
    for (let child = 1; child < this.#heap.length; child = 2 * at + 1) {
      const sibling = child + 1;
      if (sibling < this.#heap.length && compareNearness(this.#at(sibling), this.#at(child)) > 0) child = sibling;
      if (compareNearness(scored, this.#at(child)) >= 0) break;
      this.#heap[at] = this.#at(child);
      at = child;
    }
    this.#heap[at] = scored;
  }

  #at(index: number): ScoredItem<Item> {
    return this.#heap[index] as ScoredItem<Item>;
  }
}

function compareNearness<Item extends { id: string }>(left: ScoredItem<Item>, right: ScoredItem<Item>): number {
  return right.score - left.score || compareUtf8(left.item.id, right.item.id);
}
