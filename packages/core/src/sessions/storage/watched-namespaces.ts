type Listener = () => unknown;

/**
 * The listeners of a storage, by namespace. Changes are reported in the next microtask, once for all changes until
 * then, so that no listener runs within a call of the storage.
 */
export class WatchedNamespaces {
  readonly #listeners = new Map<string, Set<{ readonly call: Listener }>>();
  readonly #changed = new Set<string>();

  get isEmpty(): boolean {
    return this.#listeners.size === 0;
  }

  /** Adds a listener, even if it was added before, and returns the function that removes it. */
  add(namespace: string, listener: Listener): () => void {
    const entry = { call: listener };
    const known = this.#listeners.get(namespace);
    if (known === undefined) this.#listeners.set(namespace, new Set([entry]));
    else known.add(entry);
    return () => this.#remove(namespace, entry);
  }

  /** Notifies the listeners of a namespace in the next microtask. */
  change(namespace: string): void {
    if (!this.#listeners.has(namespace)) return;
    if (this.#changed.size === 0) queueMicrotask(() => this.#tell());
    this.#changed.add(namespace);
  }

  /** Notifies the listeners of all namespaces in the next microtask. */
  changeAll(): void {
    for (const namespace of this.#listeners.keys()) this.change(namespace);
  }

  /** Removes all listeners of the storage. */
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
      // The array is copied, because a listener may add and remove listeners. Listeners that were removed in the
      // meantime are not called.
      const toCall = Array.from(entries ?? []);
      for (const entry of toCall) if (entries?.has(entry) === true) callSafely(entry.call);
    }
  }
}

/** Calls a listener. Ignores its errors, and the rejection of an async listener's promise. */
function callSafely(listener: Listener): void {
  try {
    const result = listener();
    if (result instanceof Promise) result.catch(() => {});
  } catch {
    // A listener's errors are ignored, because the reported write has already succeeded.
  }
}
