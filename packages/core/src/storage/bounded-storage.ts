import { integer, milliseconds, optional } from "../errors/option-checks.ts";
import { readOptions } from "../errors/read-options.ts";
import type { OptionTable } from "../errors/read-options.ts";
import { LruCache } from "../util/lru-cache.ts";
import { InMemoryStorage } from "./in-memory-storage.ts";
import type { FolderRecord } from "./record-folder.ts";
import type { ListOptions } from "./storage-driver.ts";

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
  /** The sessions, each with its keys in the list of its owner, where its own key does not lead to them. */
  readonly #sessions: LruCache<string, readonly string[]>;

  constructor(options: BoundedStorageOptions = {}) {
    super();
    const { maxSessions, maxIdleMs } = readOptions(optionTable, options, { owner: "BoundedStorage" });
    this.#sessions = new LruCache({
      maxEntries: maxSessions,
      ttlMs: maxIdleMs,
      onDrop: (session, listed) => this.#removeAll(session, listed),
    });
  }

  protected override read(namespace: string, key: string): string | undefined {
    const session = sessionOf(namespace, key);
    if (session === undefined) this.#sessions.prune();
    else this.#sessions.get(session);
    return super.read(namespace, key);
  }

  protected override select(namespace: string, prefix: string, options?: ListOptions): Iterable<FolderRecord> {
    this.#sessions.prune();
    return super.select(namespace, prefix, options);
  }

  protected override write(namespace: string, key: string, text: string | undefined): void {
    const session = sessionOf(namespace, key);
    if (session === undefined) {
      this.#sessions.prune();
      super.write(namespace, key, text);
      return;
    }
    // Before the write: a session that is past its time goes without what is written now.
    const known = this.#sessions.get(session);
    super.write(namespace, key, text);
    const listed = namespace === listNamespace ? listedAfter(known, key, text) : known;
    if (text === undefined && !this.#hasRecords(session, listed)) this.#sessions.delete(session);
    else if (listed !== known || known === undefined) this.#sessions.set(session, listed ?? notListed);
  }

  #hasRecords(session: string, listed: readonly string[] = notListed): boolean {
    return (
      listed.length > 0 ||
      sessionNamespaces.some((namespace) => {
        if (super.read(namespace, session) !== undefined) return true;
        const [first] = super.select(namespace, `${session}/`, { limit: 1 });
        return first !== undefined;
      })
    );
  }

  #removeAll(session: string, listed: readonly string[]): void {
    for (const namespace of sessionNamespaces) {
      super.write(namespace, session, undefined);
      super.removeBelow(namespace, `${session}/`);
    }
    for (const key of listed) super.write(listNamespace, key, undefined);
  }
}

const notListed: readonly string[] = [];

/** Returns the keys of a session in the list of its owner after a write of one of them. */
function listedAfter(known: readonly string[] = notListed, key: string, text: string | undefined): readonly string[] {
  const others = known.filter((other) => other !== key);
  return text === undefined ? others : [...others, key];
}

/** Namespace of the lists of owners, in whose keys a recency stands before the session's id. */
const listNamespace = "session-recent";

/** Namespaces in which a session has records: under its own key, or under that key, a `/` and more. */
const sessionNamespaces: readonly string[] = ["sessions", "turns", "turn-parts", "memory", "locks"];

/** Returns the key of the session that a record belongs to, `<tenant>/<user>/<sessionId>`. Other records have none. */
function sessionOf(namespace: string, key: string): string | undefined {
  if (namespace === listNamespace) {
    const [, owner, id] = /^([^/]*\/[^/]*)\/[^/]*(\/[^/]*)$/.exec(key) ?? [];
    return owner === undefined ? undefined : `${owner}${id}`;
  }
  if (!sessionNamespaces.includes(namespace)) return undefined;
  const userEnd = key.indexOf("/", key.indexOf("/") + 1);
  if (userEnd === -1) return undefined;
  const sessionEnd = key.indexOf("/", userEnd + 1);
  return sessionEnd === -1 ? key : key.slice(0, sessionEnd);
}
