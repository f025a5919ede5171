type Pushed<Item> = { item: Item; onTaken: () => void };

/**
 * First-in, first-out queue between producers and consumers of one process. `next` waits for an item, and `push` waits
 * until the item is taken, as backpressure.
 */
export class AsyncQueue<Item extends object> {
  readonly #items: Pushed<Item>[] = [];
  readonly #consumers: PromiseWithResolvers<Item | undefined>[] = [];
  #isClosed = false;
  #error: Error | undefined;

  /**
   * Adds an item; a closed queue drops it. Resolves when the item is taken or the queue is closed. Await it to prevent
   * items from piling up.
   */
  push(item: Item): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    const consumer = this.#consumers.shift();
    if (consumer === undefined) return new Promise((onTaken) => this.#items.push({ item, onTaken }));
    consumer.resolve(item);
    return Promise.resolve();
  }

  /**
   * Takes the next item as soon as it is available. After the last item of a closed queue it returns `undefined`, or
   * throws the queue's error.
   */
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

  /**
   * Closes the queue: later items are dropped, earlier items can still be taken, and producers no longer wait. Only the
   * first call has an effect.
   */
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
