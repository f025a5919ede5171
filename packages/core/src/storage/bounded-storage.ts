import { integer, milliseconds, optional } from "../errors/option-checks.ts";
import { readOptions } from "../errors/read-options.ts";
import type { OptionTable } from "../errors/read-options.ts";
import { LruCache } from "../util/lru-cache.ts";
import { InMemoryStorage } from "./in-memory-storage.ts";
import type { Json } from "./json.ts";
import type { ListOptions, StorageEntry } from "./storage-driver.ts";

/** Limits of a `BoundedStorage`: the number of sessions, and the time for which an unused one is kept. */
export type BoundedStorageOptions = {
  /** The number of sessions that are kept. @default 10000 */
  maxSessions?: number;
  /** Milliseconds after its last use for which a session is kept. @default 24 hours */
  maxIdleMs?: number;
};

const optionTable = {
  maxSessions: optional(integer(1), 10_000),
  maxIdleMs: optional(milliseconds, 24 * 60 * 60_000),
} satisfies OptionTable<BoundedStorageOptions>;

/**
 * In-memory storage that drops the least recently used sessions: the default of an agent without a storage. A session is
 * dropped as a whole, in one step, when another record is read or written; there are no timers.
 */
export class BoundedStorage extends InMemoryStorage {
  /** The records of each session, as `namespace/key`. A session without records has no entry. */
  readonly #records: LruCache<string, Set<string>>;

  constructor(options: BoundedStorageOptions = {}) {
    super();
    const { maxSessions, maxIdleMs } = readOptions(optionTable, options, { owner: "BoundedStorage" });
    this.#records = new LruCache({
      maxEntries: maxSessions,
      ttlMs: maxIdleMs,
      onDrop: (_, records) => this.#removeAll(records),
    });
  }

  protected override read(namespace: string, key: string): Json | null {
    const session = sessionOf(namespace, key);
    if (session === undefined) this.#records.prune();
    else this.#records.get(session);
    return super.read(namespace, key);
  }

  protected override select(namespace: string, prefix: string, options?: ListOptions): Iterable<StorageEntry> {
    this.#records.prune();
    return super.select(namespace, prefix, options);
  }

  protected override write(namespace: string, key: string, value: Json | null): void {
    const session = sessionOf(namespace, key);
    if (session === undefined) {
      this.#records.prune();
      super.write(namespace, key, value);
      return;
    }
    // Before the write: a session that is past its time goes without what is written now.
    const known = this.#records.get(session);
    super.write(namespace, key, value);
    const records = known ?? new Set<string>();
    if (value === null) records.delete(`${namespace}/${key}`);
    else records.add(`${namespace}/${key}`);
    if (records.size === 0) this.#records.delete(session);
    else if (known === undefined) this.#records.set(session, records);
  }

  #removeAll(records: ReadonlySet<string>): void {
    for (const record of records) {
      const namespaceEnd = record.indexOf("/");
      super.write(record.slice(0, namespaceEnd), record.slice(namespaceEnd + 1), null);
    }
  }
}

/**
 * Namespaces in which a session has records: under its own key, or under that key, a `/` and more. In `session-recent` a
 * recency stands before the id.
 */
const sessionNamespaces: readonly string[] = ["sessions", "turns", "turn-parts", "memory", "locks"];

/** Returns the key of the session that a record belongs to, `<tenant>/<user>/<sessionId>`. Other records have none. */
function sessionOf(namespace: string, key: string): string | undefined {
  if (namespace === "session-recent") return key.replace(/\/[^/]*(?=\/[^/]*$)/, "");
  if (!sessionNamespaces.includes(namespace)) return undefined;
  const userEnd = key.indexOf("/", key.indexOf("/") + 1);
  if (userEnd === -1) return undefined;
  const sessionEnd = key.indexOf("/", userEnd + 1);
  return sessionEnd === -1 ? key : key.slice(0, sessionEnd);
}
