import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import type { Json } from "../storage/json.ts";
import type { ListOptions, StorageEntry } from "../storage/storage-driver.ts";
import { LruCache } from "../util/lru-cache.ts";

/**
 * In-memory storage for facts, the default of a `UserMemory`. Beyond `maxUsers` it drops all facts of the users whose
 * facts were not read or written for longest.
 */
export class BoundedFacts extends InMemoryStorage {
  /** The namespace of each user's facts, by the prefix of their keys. */
  readonly #users: LruCache<string, string>;

  constructor(maxUsers = 10_000) {
    super();
    const onDrop = (prefix: string, namespace: string) => this.#removeAll(namespace, prefix);
    this.#users = new LruCache({ maxEntries: maxUsers, onDrop });
  }

  protected override select(namespace: string, prefix: string, options?: ListOptions): Iterable<StorageEntry> {
    this.#users.get(prefix);
    return super.select(namespace, prefix, options);
  }

  protected override write(namespace: string, key: string, value: Json | null): void {
    super.write(namespace, key, value);
    const prefix = key.slice(0, key.lastIndexOf("/") + 1);
    if (value !== null) this.#users.set(prefix, namespace);
    else if ([...super.select(namespace, prefix, { limit: 1 })].length === 0) this.#users.delete(prefix);
  }

  #removeAll(namespace: string, prefix: string): void {
    const keys = Array.from(super.select(namespace, prefix), ({ key }) => key);
    for (const key of keys) super.write(namespace, key, null);
  }
}
