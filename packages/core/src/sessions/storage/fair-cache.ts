import { LruCache } from "../../base/util/lru-cache.ts";
import { RankedHeap } from "../../base/util/ranked-heap.ts";

/** Limits of a `FairCache`, and the function that assigns its entries to groups. */
export type FairLimits<Name extends string> = {
  /** The maximum number of entries of the cache. */
  readonly maxEntries: number;
  /** The maximum bytes of all entries together. */
  readonly maxBytes: number;
  /** Milliseconds for which an entry is kept after its last use. @default Infinity */
  readonly ttlMs?: number;
  /** The bytes that a group takes beside its entries. @default 0 */
  readonly groupBytes?: number;
  /** Returns the name of the group that an entry of the cache belongs to. */
  readonly groupOf: (key: string) => Name;
  /** Called when an entry of the cache is dropped because of a limit. */
  readonly onDrop: (key: string) => void;
  /** Called before entries are dropped or reduced because of `maxBytes`. */
  readonly onFull?: () => void;
};

/** A group of entries of a `FairCache`. `usedAt` is the position of its last use in the order of all uses. */
type Group<Name> = { readonly name: Name; bytes: number; usedAt: number; readonly entries: LruCache<string, true> };

/** An entry of a `FairCache`: its bytes and its group. */
type Entry<Name> = { bytes: number; readonly group: Group<Name> };

/**
 * The sizes of the entries of a cache, and the order in which they are dropped. Entries belong to groups, such as
 * owners. Beyond a limit, the least recently used entries of the group with most bytes or entries are dropped, so a
 * group within its share of the limit loses nothing.
 */
export class FairCache<Name extends string = string> {
  readonly #limits: FairLimits<Name>;
  readonly #entries: LruCache<string, Entry<Name>>;
  readonly #groups = new Map<Name, Group<Name>>();
  /**
   * The groups ordered by bytes, and by number of entries. Of equally large groups the least recently used comes first.
   */
  readonly #byBytes = new RankedHeap<Group<Name>>((one, other) => isFuller(one, other, one.bytes - other.bytes));
  readonly #bySize = new RankedHeap<Group<Name>>((one, other) => {
    return isFuller(one, other, one.entries.size - other.entries.size);
  });
  #uses = 0;
  #bytes = 0;

  constructor(limits: FairLimits<Name>) {
    const { ttlMs } = limits;
    this.#limits = limits;
    this.#entries = new LruCache({
      maxEntries: Infinity,
      ...(ttlMs !== undefined && { ttlMs }),
      onDrop: (key, entry) => {
        this.#leave(key, entry);
        limits.onDrop(key);
      },
    });
  }

  /** The bytes of all entries and groups of the cache. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Returns true if an entry of the cache exists, once the expired entries are dropped. */
  has(key: string): boolean {
    this.#entries.prune();
    return this.#entries.peek(key) !== undefined;
  }

  /** Makes an entry of the cache the most recently used. Returns true if it exists. */
  use(key: string): boolean {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#useGroup(key, entry.group);
    return entry !== undefined;
  }

  /** Adds bytes to an entry of the cache, creates it if necessary, and makes it the most recently used. */
  add(key: string, bytes: number): void {
    const entry = this.#entries.get(key) ?? { bytes: 0, group: this.#groupOf(key) };
    entry.bytes += bytes;
    entry.group.bytes += bytes;
    this.#bytes += bytes;
    this.#entries.set(key, entry);
    this.#useGroup(key, entry.group);
  }

  /** Removes an entry from the cache. */
  delete(key: string): void {
    const entry = this.#entries.peek(key);
    this.#entries.delete(key);
    if (entry !== undefined) this.#leave(key, entry);
  }

  /** Drops the expired entries of the cache. */
  prune(): void {
    this.#entries.prune();
  }

  /**
   * Drops entries until all limits are met. `last` is the key of the entry in use. Before that entry is dropped,
   * `shrink` may make it smaller; `shrink` returns true if it did.
   */
  trim(last: string, shrink: () => boolean): void {
    const { maxEntries, maxBytes, onDrop, onFull } = this.#limits;
    while (this.#bytes > maxBytes || this.#entries.size > maxEntries) {
      const isFull = this.#bytes > maxBytes;
      const key = (isFull ? this.#byBytes : this.#bySize).first?.entries.oldestKey;
      if (key === undefined) return;
      if (isFull) onFull?.();
      if (key === last && shrink()) continue;
      this.delete(key);
      onDrop(key);
    }
  }

  #groupOf(key: string): Group<Name> {
    const name = this.#limits.groupOf(key);
    const known = this.#groups.get(name);
    if (known !== undefined) return known;
    const { groupBytes = 0 } = this.#limits;
    this.#bytes += groupBytes;
    return { name, bytes: groupBytes, usedAt: 0, entries: new LruCache({ maxEntries: Infinity }) };
  }

  #useGroup(key: string, group: Group<Name>): void {
    group.entries.set(key, true);
    group.usedAt = ++this.#uses;
    this.#groups.set(group.name, group);
    this.#rank(group);
  }

  #rank(group: Group<Name>): void {
    this.#byBytes.update(group);
    this.#bySize.update(group);
  }

  #leave(key: string, { bytes, group }: Entry<Name>): void {
    group.bytes -= bytes;
    group.entries.delete(key);
    const isEmpty = group.entries.size === 0;
    this.#bytes -= bytes + (isEmpty ? group.bytes : 0);
    if (!isEmpty) return this.#rank(group);
    this.#groups.delete(group.name);
    this.#byBytes.delete(group);
    this.#bySize.delete(group);
  }
}

function isFuller(one: Group<string>, other: Group<string>, difference: number): boolean {
  return difference === 0 ? one.usedAt < other.usedAt : difference > 0;
}
