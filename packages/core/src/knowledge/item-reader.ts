/** Reads the items of an iterable for several workers, one item at a time. */
export class ItemReader<Item> {
  readonly #iterator: AsyncIterator<Item> | Iterator<Item>;
  #last: Promise<unknown> = Promise.resolve();
  #isOver = false;

  constructor(items: AsyncIterable<Item> | Iterable<Item>) {
    this.#iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  }

  /** Returns the next item; undefined at the end, and after `close`. */
  async next(): Promise<Item | undefined> {
    const step = async () => await this.#step();
    const item = this.#last.then(step, step);
    this.#last = item;
    return await item;
  }

  /** Ends the iterable, unless it has ended. */
  async close(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    await this.#last.catch(() => undefined);
    await this.#iterator.return?.();
  }

  async #step(): Promise<Item | undefined> {
    if (this.#isOver) return undefined;
    try {
      const result = await this.#iterator.next();
      if (result.done !== true) return result.value;
    } catch (error) {
      this.#isOver = true;
      throw error;
    }
    this.#isOver = true;
    return undefined;
  }
}
