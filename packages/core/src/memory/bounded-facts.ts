import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import type { FolderRecord } from "../storage/record-folder.ts";
import type { ListOptions } from "../storage/storage-driver.ts";
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
    const onDrop = (prefix: string, namespace: string) => this.removeBelow(namespace, prefix);
    this.#users = new LruCache({ maxEntries: maxUsers, onDrop });
  }

  protected override select(namespace: string, prefix: string, options?: ListOptions): Iterable<FolderRecord> {
    this.#users.get(prefix);
    return super.select(namespace, prefix, options);
  }

  protected override write(namespace: string, key: string, text: string | undefined): void {
    super.write(namespace, key, text);
    const prefix = key.slice(0, key.lastIndexOf("/") + 1);
    if (text !== undefined) this.#users.set(prefix, namespace);
    else if ([...super.select(namespace, prefix, { limit: 1 })].length === 0) this.#users.delete(prefix);
  }
}
