import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import type { Json } from "../storage/json.ts";
import type { ListOptions, StorageEntry } from "../storage/storage-driver.ts";
import { UseOrder } from "../storage/use-order.ts";

/** In-memory storage for facts that forgets the users who were not asked about for longest. */
export class BoundedFacts extends InMemoryStorage {
  readonly #maxUsers: number;
  readonly #uses = new UseOrder();

  constructor(maxUsers = 10_000) {
    super();
    this.#maxUsers = maxUsers;
  }

  protected override select(namespace: string, prefix: string, options?: ListOptions): Iterable<StorageEntry> {
    const entries = [...super.select(namespace, prefix, options)];
    if (entries.length > 0) this.#uses.use(prefix, 0);
    return entries;
  }

  protected override write(namespace: string, key: string, value: Json | null): void {
    super.write(namespace, key, value);
    const user = key.slice(0, key.lastIndexOf("/") + 1);
    if (value !== null) this.#uses.use(user, 0);
    else if ([...super.select(namespace, user, { limit: 1 })].length === 0) this.#uses.forget(user);
    const { oldest } = this.#uses;
    if (oldest !== undefined && this.#uses.size > this.#maxUsers) this.#drop(namespace, oldest.key);
  }

  #drop(namespace: string, user: string): void {
    const keys = Array.from(super.select(namespace, user), ({ key }) => key);
    for (const key of keys) super.write(namespace, key, null);
    this.#uses.forget(user);
  }
}
