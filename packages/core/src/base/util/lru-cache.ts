/** The limits of an `LruCache`. */
export type LruLimits<Key, Value> = {
  /** The maximum number of entries of the cache. */
  readonly maxEntries: number;
  /** Milliseconds for which an entry is stored after its last use. @default Infinity */
  readonly ttlMs?: number;
  /** Called after an entry was dropped because of a limit, but not after `delete`. */
  readonly onDrop?: (key: Key, value: Value) => void;
};

/**
 * A map that drops the least recently used entries, and entries that were not used for `ttlMs`. It has no timers: only
 * `get`, `set` and `prune` drop expired entries.
 *
 * The order is a linked list beside the `Map`. A `Map` alone would keep gaps of deleted entries at its front and walk
 * over all of them to find the oldest entry.
 */
export class LruCache<Key, Value> {
  readonly #limits: LruLimits<Key, Value>;
  readonly #entries = new Map<Key, Entry<Key, Value>>();
  // Closes the ring of the cache's entries: its next link is the oldest entry, its previous link is the newest.
  readonly #ends = new Link();

  constructor(limits: LruLimits<Key, Value>) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The key of the cache's least recently used entry; undefined if the cache is empty. */
  get oldestKey(): Key | undefined {
    return this.size === 0 ? undefined : (this.#ends.next as Entry<Key, Value>).key;
  }

  /** Returns the value of a key and makes its entry the most recently used. */
  get(key: Key): Value | undefined {
    const now = this.#now();
    this.#prune(now);
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#use(entry, now);
    return entry?.value;
  }

  /** Returns the value of a key without counting as a use. */
  peek(key: Key): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  /** Stores the value of a key as the most recently used entry. */
  set(key: Key, value: Value): void {
    const known = this.#entries.get(key);
    const entry = known ?? new Entry(key, value);
    entry.value = value;
    if (known === undefined) this.#entries.set(key, entry);
    const now = this.#now();
    this.#use(entry, now);
    this.#prune(now);
  }

  delete(key: Key): void {
    this.#entries.get(key)?.remove();
    this.#entries.delete(key);
  }

  /** Drops the cache's entries that exceed a limit. */
  prune(): void {
    this.#prune(this.#now());
  }

  #prune(now: number): void {
    const { maxEntries, ttlMs = Infinity, onDrop } = this.#limits;
    while (this.size > 0) {
      const oldest = this.#ends.next as Entry<Key, Value>;
      if (this.size <= maxEntries && now - oldest.usedAt < ttlMs) return;
      this.delete(oldest.key);
      onDrop?.(oldest.key, oldest.value);
    }
  }

  #use(entry: Entry<Key, Value>, now: number): void {
    entry.usedAt = now;
    if (entry.next === this.#ends) return;
    entry.remove();
    entry.insertBefore(this.#ends);
  }

  /**
   * Returns the monotonic time in milliseconds, because setting the clock must not empty the cache; 0 without a
   * `ttlMs`. The time is an integer, because an entry stores integers without another object.
   */
  #now(): number {
    return this.#limits.ttlMs === undefined ? 0 : Math.trunc(performance.now());
  }
}

class Link {
  next: Link = this;
  #previous: Link = this;

  insertBefore(next: Link): void {
    this.#previous = next.#previous;
    this.next = next;
    this.#previous.next = this;
    next.#previous = this;
  }

  remove(): void {
    this.#previous.next = this.next;
    this.next.#previous = this.#previous;
  }
}

class Entry<Key, Value> extends Link {
  readonly key: Key;
  value: Value;
  usedAt = 0;

  constructor(key: Key, value: Value) {
    super();
    this.key = key;
    this.value = value;
  }
}
