import type { Json } from "./json.ts";

/** One stored record. */
export type StorageEntry = { key: string; value: Json };

/** Narrows and orders a listing. */
export type ListOptions = {
  /** At most so many entries: a whole number from 1 upwards. */
  limit?: number;
  /** Last key first. */
  reverse?: boolean;
  /** Only keys behind this one, in the direction of the listing. The key itself need not exist. */
  after?: string;
};

/**
 * Makes a write depend on a lease: refused as `conflict` unless the record `key` in the namespace `locks` is an object
 * whose `token` is this number. Looking and writing are one step. When the lease ends does not matter: as long as nobody
 * took it over, nobody else writes.
 */
export type AppendOptions = { ifHeld?: { key: string; token: number } };

/** One write of a transaction; a `null` value deletes. */
export type Write = { namespace: string; key: string; value: Json | null };

/**
 * Namespaced key-value storage: sessions, memories and facts sit on it.
 *
 * The first five members are enough for everything to be correct within one process; such a driver may also ignore the
 * `options` of `list`. A driver that has more says so by having it, and core uses what is there.
 *
 * Every method rejects with a `TroupeError`: `storage_unavailable` when the storage cannot be reached or is closed,
 * `storage_corrupt` when what it holds cannot be read, and, before anything is written, `invalid_value` for what not
 * every driver could give back as it was:
 * - a namespace or key that is empty, holds NUL or an unpaired surrogate, or is longer than 1,024 bytes (`checkKey`);
 * - a value that is not JSON through and through or nests deeper than 64 levels (`toJson`). Members that are `undefined`
 *   are left out. Any text is fine as a value or a member's name, NUL and `__proto__` included, if it is well-formed.
 */
export interface StorageDriver {
  /** Returns the value, or `null` when there is none. The caller may change what it gets. */
  get(namespace: string, key: string): Promise<Json | null>;
  /** Stores the value, replacing any earlier one, and keeps nothing of the caller's object. Setting `null` deletes. */
  set(namespace: string, key: string, value: Json): Promise<void>;
  /** Removes the key. Removing an absent key is not an error. */
  delete(namespace: string, key: string): Promise<void>;
  /**
   * Returns entries ordered by the bytes of their keys in UTF-8, only those starting with `prefix` when one is given. In a
   * prefix no character has a meaning of its own.
   */
  list(namespace: string, prefix?: string, options?: ListOptions): Promise<StorageEntry[]>;
  /** Releases what the driver holds. Closing twice is safe; any other call afterwards is an error. */
  close(): Promise<void>;

  /**
   * Stores the value under `<keyPrefix><seq>`, where `seq` is one more than the highest number now stored under this
   * prefix, or 1, written with 12 digits. Concurrent appends get different numbers, also from several processes. `null`
   * cannot be appended.
   */
  append?(
    namespace: string,
    keyPrefix: string,
    value: Json,
    options?: AppendOptions,
  ): Promise<{ key: string; seq: number }>;
  /**
   * Writes `next` when the stored value equals `expected`, in one step, and says whether it did. `null` stands for an
   * absent record on both sides; the order of an object's members makes no difference.
   */
  compareAndSet?(namespace: string, key: string, expected: Json | null, next: Json | null): Promise<boolean>;
  /** Resolves when the storage can be used. */
  ping?(): Promise<void>;
  /** Applies all writes or none, in their order. */
  transaction?(writes: readonly Write[]): Promise<void>;
}
