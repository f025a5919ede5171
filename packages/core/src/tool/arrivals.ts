/** Things in the order in which they come, for one reader. What came before a failure is still handed out. */
export class Arrivals<Item extends object> {
  readonly #items: Item[] = [];
  #error: Error | undefined;
  #wake: () => void = ignore;

  add(item: Item): void {
    this.#items.push(item);
    this.#wake();
  }

  /** Nothing more will come; the first failure counts. */
  fail(error: Error): void {
    this.#error ??= error;
    this.#wake();
  }

  /** The next thing, as soon as it is there. */
  async next(): Promise<Item> {
    for (;;) {
      const item = this.#items.shift();
      if (item !== undefined) return item;
      if (this.#error !== undefined) throw this.#error;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

function ignore(): void {}
