/** Hands things over, in order: who gives waits until somebody has taken, so that nothing piles up. */
export class Handoff<Item extends object> {
  readonly #items: { item: Item; taken: () => void }[] = [];
  readonly #takers: ((item: Item | undefined) => void)[] = [];
  #isClosed = false;

  /** Resolves when the thing has been taken, or when nobody will take any more. */
  give(item: Item): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    const take = this.#takers.shift();
    if (take === undefined) return new Promise((taken) => this.#items.push({ item, taken }));
    take(item);
    return Promise.resolve();
  }

  /** The next thing, or nothing when there will be none. */
  take(): Promise<Item | undefined> {
    const next = this.#items.shift();
    next?.taken();
    if (next !== undefined || this.#isClosed) return Promise.resolve(next?.item);
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  /** Nothing is waited for any more. What was given before can still be taken. */
  close(): void {
    this.#isClosed = true;
    for (const { taken } of this.#items) taken();
    for (const take of this.#takers.splice(0)) take(undefined);
  }
}
