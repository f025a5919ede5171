import { checkCount, checkDuration } from "../errors/check-option.ts";
import { InMemoryStorage } from "./in-memory-storage.ts";
import type { Json } from "./json.ts";
import { sessionNamespaces, sessionOf } from "./session-of.ts";
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
  // How many records each session has: one without any is none.
  readonly #records = new Map<string, number>();

  constructor({ maxSessions = 10_000, maxIdleMs = 24 * 60 * 60_000 }: BoundedStorageOptions = {}) {
    super();
    this.#maxSessions = checkCount(maxSessions, "maxSessions", 1);
    this.#maxIdleMs = checkDuration(maxIdleMs, "maxIdleMs");
  }

  protected override read(namespace: string, key: string): Json | null {
    this.#dropOld();
    this.#use(sessionOf(namespace, key), 0);
    return super.read(namespace, key);
  }

  protected override select(namespace: string, prefix: string, options?: ListOptions): Iterable<StorageEntry> {
    this.#dropOld();
    return super.select(namespace, prefix, options);
  }

  protected override write(namespace: string, key: string, value: Json | null): void {
    this.#dropOld();
    const difference = Number(value !== null) - Number(super.read(namespace, key) !== null);
    super.write(namespace, key, value);
    this.#use(sessionOf(namespace, key), difference);
    this.#dropOld();
  }

  #use(session: string | undefined, difference: number): void {
    if (session === undefined) return;
    const records = (this.#records.get(session) ?? 0) + difference;
    if (records === 0) return this.#forget(session);
    this.#records.set(session, records);
    // Monotonic: a clock that is set forward must not empty the storage.
    this.#uses.use(session, performance.now());
  }

  #forget(session: string): void {
    this.#records.delete(session);
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
    this.#forget(session);
    for (const namespace of sessionNamespaces) {
      const records = [...super.select(namespace, `${session}/`)];
      for (const key of [session, ...records.map((record) => record.key)]) super.write(namespace, key, null);
    }
  }
}
