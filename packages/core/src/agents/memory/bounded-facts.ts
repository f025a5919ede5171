import { FairCache } from "../../sessions/storage/fair-cache.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { recordBytes } from "../../sessions/storage/record-bytes.ts";
import type { FolderRecord } from "../../sessions/storage/record-folder.ts";
import type { ListOptions } from "../../sessions/storage/storage-driver.ts";
import { defaultMemoryBytes } from "../../base/util/default-memory-bytes.ts";

/** Limits of a `BoundedFacts`: the number of users, and the total bytes of their facts. */
export type FactLimits = {
  /** The maximum number of users with facts. @default 10000 */
  maxUsers?: number;
  /** The maximum bytes of all facts. @default a quarter of the heap limit, at most 256 MB */
  maxBytes?: number;
};

/** The estimated bytes of memory that a user takes, without the user's facts. */
const userBytes = 1000;

/**
 * In-memory storage for facts, the default of a `UserMemory`. Beyond a limit it drops all facts of the users that were
 * not read or written for the longest time. All unverified users together count as one user: while they hold more than
 * any other user, one of them is dropped, because anyone can invent such users.
 */
export class BoundedFacts extends InMemoryStorage {
  /** The users, by namespace and key prefix of their facts, separated by a space. */
  readonly #users: FairCache;

  constructor({ maxUsers = 10_000, maxBytes = defaultMemoryBytes() }: FactLimits = {}) {
    super();
    this.#users = new FairCache({
      maxEntries: maxUsers,
      maxBytes,
      groupOf: (user) => (user.includes("/~") ? "~" : user),
      onDrop: (user) => {
        const space = user.indexOf(" ");
        this.removeBelow(user.slice(0, space), user.slice(space + 1));
      },
    });
  }

  protected override select(namespace: string, prefix: string, options?: ListOptions): Iterable<FolderRecord> {
    this.#users.use(`${namespace} ${prefix}`);
    return super.select(namespace, prefix, options);
  }

  protected override write(namespace: string, key: string, text: string | undefined): void {
    const before = recordBytes(key, super.read(namespace, key));
    super.write(namespace, key, text);
    const prefix = key.slice(0, key.lastIndexOf("/") + 1);
    const user = `${namespace} ${prefix}`;
    if ([...super.select(namespace, prefix, { limit: 1 })].length === 0) {
      this.#users.delete(user);
      return;
    }
    const isKnown = this.#users.use(user);
    this.#users.add(user, recordBytes(key, text) - before + (isKnown ? 0 : userBytes));
    this.#users.trim(user, () => false);
  }
}
