import type { Json } from "./json.ts";

/** One stored record. */
export type StorageEntry = { key: string; value: Json };

/** Narrows and orders a listing. */
export type ListOptions = {
  /** At most so many entries. */
  limit?: number;
  /** Last key first. */
  reverse?: boolean;
  /** Only keys behind this one, in the direction of the listing. */
  after?: string;
};

/** Makes a write depend on a lease: refused as `conflict` when `key` in `locks` no longer holds `token`. */
export type AppendOptions = { ifHeld?: { key: string; token: number } };

/** One write of a transaction; a `null` value deletes. */
export type Write = { namespace: string; key: string; value: Json | null };

/**
 * Namespaced key-value storage: sessions, memories and facts sit on it.
 *
 * The first five members are enough for everything to be correct within one process. A driver that has more says so
 * by having it, and core uses what is there. Every method rejects with a `TroupeError`: `invalid_value` for a value
 * that is not JSON or a key that is not well-formed text, `storage_unavailable` when the storage cannot be reached,
 * `storage_corrupt` when what it holds cannot be read.
 */
export interface StorageDriver {
  /** Returns the value, or `null` when the key was never set. The caller may change what it gets. */
  get(namespace: string, key: string): Promise<Json | null>;
  /** Stores the value, replacing any earlier one, and keeps nothing of the caller's object. Setting `null` deletes. */
  set(namespace: string, key: string, value: Json): Promise<void>;
  /** Removes the key. Removing an absent key is not an error. */
  delete(namespace: string, key: string): Promise<void>;
  /** Returns entries ordered by the bytes of their keys in UTF-8, only those starting with `prefix` when one is given. */
  list(namespace: string, prefix?: string, options?: ListOptions): Promise<StorageEntry[]>;
  /** Releases what the driver holds. Closing twice is safe; any other call afterwards is an error. */
  close(): Promise<void>;

  /**
   * Stores the value under `<keyPrefix><seq>`, where `seq` is one more than the highest number used under this prefix,
   * written with 12 digits. Concurrent appends get different numbers, also from several processes.
   */
  append?(
    namespace: string,
    keyPrefix: string,
    value: Json,
    options?: AppendOptions,
  ): Promise<{ key: string; seq: number }>;
  /** Writes `next` when the stored value equals `expected` (`null`: absent), in one step, and says whether it did. */
  compareAndSet?(namespace: string, key: string, expected: Json | null, next: Json | null): Promise<boolean>;
  /** Resolves when the storage can be used. */
  ping?(): Promise<void>;
  /** Applies all writes or none. */
  transaction?(writes: readonly Write[]): Promise<void>;
}
