import { integerOption, millisecondsOption, optional } from "../../base/errors/option-checks.ts";
import { readOptions } from "../../base/errors/read-options.ts";
import type { OptionTable } from "../../base/errors/read-options.ts";
import { defaultMemoryBytes } from "../../base/util/default-memory-bytes.ts";
import { LruCache } from "../../base/util/lru-cache.ts";
import { FairCache } from "./fair-cache.ts";
import { InMemoryStorage } from "./in-memory-storage.ts";
import type { OwnerKey } from "./owner-key.ts";
import { recordBytes } from "./record-bytes.ts";
import type { FolderRecord } from "./record-folder.ts";
import {
  indexKeyOf,
  indexNamespace,
  listNamespace,
  ownerOfSession,
  sessionNamespaces,
  sessionOf,
  shareIndexNamespace,
  sharesNamespace,
  turnNamespaces,
} from "./session-of-record.ts";
import type { ListOptions } from "./storage-driver.ts";

/**
 * Limits of a `BoundedStorage`: the number of sessions, their total bytes, and the time for which an unused session is
 * kept.
 */
export type BoundedStorageOptions = {
  /** The maximum number of sessions. @default 10000 */
  maxSessions?: number;
  /** The maximum bytes of memory for all sessions. @default a quarter of the heap limit, at most 256 MB */
  maxBytes?: number;
  /** Milliseconds after its last use for which a session is kept. @default 24 hours */
  maxIdleMs?: number;
  /** Called once, when sessions or turns are first dropped because of their bytes. */
  onFull?: ((maxBytes: number) => void) | undefined;
};

const optionTable = {
  maxSessions: optional(integerOption(1), 10_000),
  maxBytes: optional(integerOption(1)),
  maxIdleMs: optional(millisecondsOption, 24 * 60 * 60_000),
  onFull: optional((value) => value as (maxBytes: number) => void),
} satisfies OptionTable<BoundedStorageOptions>;

/**
 * The estimated bytes for a session, and for an owner, in addition to their records. The estimate is accurate to about
 * a third.
 */
const [sessionBytes, ownerBytes] = [700, 1300];

/**
 * In-memory storage that drops sessions beyond its limits: the default of an agent without a storage. It drops the
 * least recently used sessions of the owner that has most of them, in number or in bytes. All sessions without a
 * verified user count as one owner's, because anyone can begin them. There are no timers: sessions are dropped when
 * another record is read or written.
 *
 * A session is dropped as a whole, in one step. Later writes of a run in progress are discarded until the session's
 * next run starts it anew. A session that exceeds the limit by itself loses its oldest turns.
 */
export class BoundedStorage extends InMemoryStorage {
  readonly #sessions: FairCache<OwnerKey>;
  /** The keys of each session in the list of its owner, which cannot be derived from the session's own key. */
  readonly #listed = new Map<string, readonly string[]>();
  /** The most recently dropped sessions. A run in progress may still write to them. */
  readonly #dropped = new LruCache<string, true>({ maxEntries: 10_000 });
  #onFull: (() => void) | undefined;

  constructor(options: BoundedStorageOptions = {}) {
    super();
    const read = readOptions(optionTable, options, { owner: "BoundedStorage" });
    const { maxSessions, maxBytes = defaultMemoryBytes(), maxIdleMs, onFull } = read;
    this.#onFull = onFull && (() => onFull(maxBytes));
    this.#sessions = new FairCache({
      maxEntries: maxSessions,
      maxBytes,
      ttlMs: maxIdleMs,
      groupBytes: ownerBytes,
      groupOf: ownerOfSession,
      onDrop: (session) => {
        this.#removeAll(session);
        this.#dropped.set(session, true);
      },
      onFull: () => this.#tellFull(),
    });
  }

  /** An estimate of the bytes that the sessions take. */
  get bytes(): number {
    return this.#sessions.bytes;
  }

  protected override read(namespace: string, key: string): string | undefined {
    const session = sessionOf(namespace, key);
    if (session === undefined) this.#sessions.prune();
    else this.#sessions.use(session);
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
    // The limits of the storage are applied before the write: an expired session is dropped without the new data.
    const isKnown = this.#sessions.has(session);
    if (!isKnown && this.#isLeftOver(session, namespace)) return;
    const before = recordBytes(key, super.read(namespace, key));
    super.write(namespace, key, text);
    if (namespace === listNamespace) this.#listed.set(session, this.#listedAfter(session, key, text));
    if (text === undefined && !this.#hasRecords(session)) {
      this.#sessions.delete(session);
      this.#listed.delete(session);
      return;
    }
    this.#sessions.add(session, recordBytes(key, text) - before + (isKnown ? 0 : sessionBytes));
    this.#sessions.trim(session, () => this.#dropOldestTurn(session, namespace === "turns" ? key : undefined));
  }

  /**
   * Returns true if a write of a turn or its parts belongs to a run whose session was dropped. The session is stored
   * again once its own record is written.
   */
  #isLeftOver(session: string, namespace: string): boolean {
    if (this.#dropped.peek(session) === undefined) return false;
    if (namespace === "sessions") this.#dropped.delete(session);
    return turnNamespaces.includes(namespace);
  }

  #tellFull(): void {
    const onFull = this.#onFull;
    this.#onFull = undefined;
    onFull?.();
  }

  #listedAfter(session: string, key: string, text: string | undefined): readonly string[] {
    const others = (this.#listed.get(session) ?? []).filter((other) => other !== key);
    return text === undefined ? others : [...others, key];
  }

  #hasRecords(session: string): boolean {
    return (
      (this.#listed.get(session) ?? []).length > 0 ||
      super.read(indexNamespace, indexKeyOf(session)) !== undefined ||
      sessionNamespaces.some((namespace) => {
        if (super.read(namespace, session) !== undefined) return true;
        const [first] = super.select(namespace, `${session}/`, { limit: 1 });
        return first !== undefined;
      })
    );
  }

  /** Drops the first turn of a session with its parts, unless it is the turn being written. */
  #dropOldestTurn(session: string, current: string | undefined): boolean {
    const [first] = super.select("turns", `${session}/`, { limit: 1 });
    if (first === undefined || first.key === current) return false;
    let freed = recordBytes(first.key, first.text);
    for (const { key, text } of super.select("turn-parts", `${first.key}/`)) freed += recordBytes(key, text);
    super.write("turns", first.key, undefined);
    super.removeBelow("turn-parts", `${first.key}/`);
    this.#sessions.add(session, -freed);
    return true;
  }

  #removeAll(session: string): void {
    for (const { key } of super.select(sharesNamespace, `${session}/`)) {
      super.write(shareIndexNamespace, key.slice(key.lastIndexOf("/") + 1), undefined);
    }
    for (const namespace of sessionNamespaces) {
      super.write(namespace, session, undefined);
      super.removeBelow(namespace, `${session}/`);
    }
    super.write(indexNamespace, indexKeyOf(session), undefined);
    for (const key of this.#listed.get(session) ?? []) super.write(listNamespace, key, undefined);
    this.#listed.delete(session);
  }
}
