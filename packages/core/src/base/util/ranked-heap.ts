/**
 * A priority queue: the first item by rank is found immediately, however many items there are. If the rank of an item
 * changes, call `update` with the item before any other method.
 */
export class RankedHeap<Item> {
  /** A binary heap: the children of the item at `n` are at `2n + 1` and `2n + 2`, and rank after it. */
  readonly #items: Item[] = [];
  readonly #places = new Map<Item, number>();
  readonly #comesBefore: (one: Item, other: Item) => boolean;

  /** @param comesBefore returns true if one item ranks before another; equal items may come in any order */
  constructor(comesBefore: (one: Item, other: Item) => boolean) {
    this.#comesBefore = comesBefore;
  }

  get first(): Item | undefined {
    return this.#items[0];
  }

  /** Adds an item to the heap, or moves it to its new position after its rank has changed. */
  update(item: Item): void {
    const place = this.#places.get(item) ?? this.#items.length;
    this.#settle(item, place);
  }

  /** Removes an item from the heap, if it is there. */
  delete(item: Item): void {
    const place = this.#places.get(item);
    if (place === undefined) return;
    this.#places.delete(item);
    const last = this.#items.pop();
    if (last !== undefined && last !== item) this.#settle(last, place);
  }

  /**
   * Moves an item of the heap to its position: items that rank after it move down, and items that rank before it move
   * up.
   */
  #settle(item: Item, start: number): void {
    let place = this.#rise(item, start);
    if (place === start) place = this.#sink(item, start);
    this.#put(item, place);
  }

  #rise(item: Item, start: number): number {
    let place = start;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = this.#items[above] as Item;
      if (!this.#comesBefore(item, parent)) break;
      this.#put(parent, place);
      place = above;
    }
    return place;
  }

  #sink(item: Item, start: number): number {
    let place = start;
    for (;;) {
      const below = this.#firstBelow(place);
      const child = this.#items[below];
      if (child === undefined || !this.#comesBefore(child, item)) return place;
      this.#put(child, place);
      place = below;
    }
  }

  #firstBelow(place: number): number {
    const left = 2 * place + 1;
    const [one, other] = [this.#items[left], this.#items[left + 1]];
    return one !== undefined && other !== undefined && this.#comesBefore(other, one) ? left + 1 : left;
  }

  #put(item: Item, place: number): void {
    this.#items[place] = item;
    this.#places.set(item, place);
  }
}
