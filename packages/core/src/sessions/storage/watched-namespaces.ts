type Listener = () => unknown;

/**
 * The listeners of a storage, by namespace. Changes are told in the next microtask, so that no listener runs within a call
 * of the storage, and once for all changes until then.
 */
export class WatchedNamespaces {
  readonly #listeners = new Map<string, Set<{ readonly call: Listener }>>();
  readonly #changed = new Set<string>();

  get isEmpty(): boolean {
    return this.#listeners.size === 0;
  }

  /** Adds a listener, also one that was added before, and returns the function that removes it. */
  add(namespace: string, listener: Listener): () => void {
    const entry = { call: listener };
    const known = this.#listeners.get(namespace);
    if (known === undefined) this.#listeners.set(namespace, new Set([entry]));
    else known.add(entry);
    return () => this.#remove(namespace, entry);
  }

  /** Tells the listeners of a namespace soon. */
  change(namespace: string): void {
    if (!this.#listeners.has(namespace)) return;
    if (this.#changed.size === 0) queueMicrotask(() => this.#tell());
    this.#changed.add(namespace);
  }

  /** Tells all listeners soon. */
  changeAll(): void {
    for (const namespace of this.#listeners.keys()) this.change(namespace);
  }

  /** Removes all listeners. */
  clear(): void {
    for (const entries of this.#listeners.values()) entries.clear();
    this.#listeners.clear();
  }

  #remove(namespace: string, entry: { readonly call: Listener }): void {
    const entries = this.#listeners.get(namespace);
    if (entries?.delete(entry) === true && entries.size === 0) this.#listeners.delete(namespace);
  }

  #tell(): void {
    const changed = [...this.#changed];
    this.#changed.clear();
    for (const namespace of changed) {
      const entries = this.#listeners.get(namespace);
      // An array of its own: a listener may add and remove others. Those that are removed meanwhile are not called.
      const toCall = Array.from(entries ?? []);
      for (const entry of toCall) if (entries?.has(entry) === true) callSafely(entry.call);
    }
  }
}

/** Calls a listener, and ignores what it throws and the rejection of the promise that an async one returns. */
function callSafely(listener: Listener): void {
  try {
    const result = listener();
    if (result instanceof Promise) result.catch(() => {});
  } catch {
    // A hint is no place for an error: the write that it tells of is done.
  }
}
