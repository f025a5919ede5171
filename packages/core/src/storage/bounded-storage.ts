import { checkCount, checkDuration } from "../errors/check-option.ts";
import { InMemoryStorage } from "./in-memory-storage.ts";
import type { Json } from "./json.ts";
import { sessionOf } from "./session-of.ts";
import type { ListOptions, StorageEntry } from "./storage-driver.ts";
import { UseOrder } from "./use-order.ts";

/** How much a bounded storage keeps. */
export type BoundedStorageOptions = {
  /** At most so many sessions. @default 10000 */
  maxSessions?: number;
  /** A session that nobody read or wrote for so long is dropped. @default 24 hours */
  maxIdleMs?: number;
};

/**
 * In-memory storage that forgets the sessions which were not used for longest: what an agent without a storage of its
 * own gets. A session goes as a whole, in one step, when another record is read or written; there are no timers.
 */
export class BoundedStorage extends InMemoryStorage {
  readonly #maxSessions: number;
  readonly #maxIdleMs: number;
  readonly #uses = new UseOrder();
  // Where the records of each session stand, as `namespace/key`: one without any is none.
  readonly #places = new Map<string, Set<string>>();

  constructor({ maxSessions = 10_000, maxIdleMs = 24 * 60 * 60_000 }: BoundedStorageOptions = {}) {
    super();
    this.#maxSessions = checkCount(maxSessions, "maxSessions", 1);
    this.#maxIdleMs = checkDuration(maxIdleMs, "maxIdleMs");
  }

  protected override read(namespace: string, key: string): Json | null {
    this.#dropOld();
    const session = sessionOf(namespace, key);
    if (session !== undefined && this.#places.has(session)) this.#use(session);
    return super.read(namespace, key);
  }

  protected override select(namespace: string, prefix: string, options?: ListOptions): Iterable<StorageEntry> {
    this.#dropOld();
    return super.select(namespace, prefix, options);
  }

  protected override write(namespace: string, key: string, value: Json | null): void {
    this.#dropOld();
    super.write(namespace, key, value);
    const session = sessionOf(namespace, key);
    if (session === undefined) return;
    if (value === null) this.#noteRemoved(session, `${namespace}/${key}`);
    else this.#noteWritten(session, `${namespace}/${key}`);
    this.#dropOld();
  }

  #noteWritten(session: string, place: string): void {
    const places = this.#places.get(session);
    if (places === undefined) this.#places.set(session, new Set([place]));
    else places.add(place);
    this.#use(session);
  }

  #noteRemoved(session: string, place: string): void {
    const places = this.#places.get(session);
    if (places === undefined) return;
    places.delete(place);
    if (places.size === 0) this.#forget(session);
    else this.#use(session);
  }

  #use(session: string): void {
    // Monotonic: a clock that is set forward must not empty the storage.
    this.#uses.use(session, performance.now());
  }

  #forget(session: string): void {
    this.#places.delete(session);
    this.#uses.forget(session);
  }

  #dropOld(): void {
    const idleSince = performance.now() - this.#maxIdleMs;
    for (let old = this.#uses.oldest; old !== undefined; old = this.#uses.oldest) {
      if (this.#uses.size <= this.#maxSessions && old.usedAt > idleSince) return;
      this.#drop(old.key);
    }
  }

  #drop(session: string): void {
    const places = this.#places.get(session) ?? [];
    this.#forget(session);
    for (const place of places) {
      const namespaceEnd = place.indexOf("/");
      super.write(place.slice(0, namespaceEnd), place.slice(namespaceEnd + 1), null);
    }
  }
}
