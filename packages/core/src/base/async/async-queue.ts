type Pushed<Item> = { item: Item; onTaken: () => void };

/**
 * First-in, first-out queue between producers and consumers of one process: `next` waits for an item, and `push` until
 * the item is taken, as backpressure.
 */
export class AsyncQueue<Item extends object> {
  readonly #items: Pushed<Item>[] = [];
  readonly #consumers: PromiseWithResolvers<Item | undefined>[] = [];
  #isClosed = false;
  #error: Error | undefined;

  /** Adds an item. Resolves when it was taken, or when the queue is closed: await it, and nothing piles up. */
  push(item: Item): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    const consumer = this.#consumers.shift();
    if (consumer === undefined) return new Promise((onTaken) => this.#items.push({ item, onTaken }));
    consumer.resolve(item);
    return Promise.resolve();
  }

  /** Takes the next item, as soon as there is one. After the last item of a closed queue: `undefined`, or its error. */
  next(): Promise<Item | undefined> {
    const pushed = this.#items.shift();
    pushed?.onTaken();
    if (pushed !== undefined) return Promise.resolve(pushed.item);
    if (this.#error !== undefined) return Promise.reject(this.#error);
    if (this.#isClosed) return Promise.resolve(undefined);
    const consumer = Promise.withResolvers<Item | undefined>();
    this.#consumers.push(consumer);
    return consumer.promise;
  }

  /** Takes no further items. Those pushed before can still be taken; producers wait no longer. The first close counts. */
  close(error?: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#error = error;
    for (const { onTaken } of this.#items) onTaken();
    for (const { resolve, reject } of this.#consumers.splice(0)) {
      if (error === undefined) resolve(undefined);
      else reject(error);
    }
  }
}
