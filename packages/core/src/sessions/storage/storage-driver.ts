import type { Json } from "./json.ts";

/** One stored record in a listing: its key and its value. */
export type StorageEntry = { key: string; value: Json };

/** Limit, order and beginning of a listing of records. */
export type ListOptions = {
  /** Number of entries: a positive integer. */
  limit?: number;
  /** Last key first. */
  reverse?: boolean;
  /** Only keys after this one, in the direction of the listing. The key itself need not exist. */
  after?: string;
};

/** One of several listings of `listMany`: the records of a namespace whose keys begin with a prefix and come after a key. */
export type Listing = {
  namespace: string;
  prefix: string;
  /** Only keys after this one. The key itself need not exist. */
  after?: string;
  /** Number of entries: a positive integer. */
  limit: number;
};

/**
 * Condition of an append: it is rejected as `conflict` unless the record `key` in the namespace `locks` is an object
 * with this fencing `token`. The check and the write are one step. An expired lease still counts until another process
 * takes it over.
 */
export type AppendOptions = { ifHeld?: { key: string; token: number } };

/** One write of a transaction; a `null` value deletes. */
export type Write = { namespace: string; key: string; value: Json | null };

/**
 * Namespaced key-value storage: sessions, memories and facts sit on it.
 *
 * The first five members are enough for everything to be correct within one process; such a driver may also ignore the
 * `options` of `list`. The other members are optional, and core uses those that are there.
 *
 * Every method rejects with a `TroupeError`: `storage_unavailable` when the storage cannot be reached or is closed,
 * `storage_corrupt` when a stored record cannot be read, and, before anything is written, `invalid_value` for a value that
 * not every driver could return unchanged:
 * - a namespace or key that is empty, holds NUL or an unpaired surrogate, or is longer than 1,024 bytes (`checkKey`);
 * - a value that is not JSON or nests deeper than 64 levels (`toJson`). Members that are `undefined` are left out. Any
 *   well-formed string is allowed as a value or a member's name, NUL and `__proto__` included.
 */
export interface StorageDriver {
  /** Returns the value, or `null` when there is none. The caller may change the returned object. */
  get(namespace: string, key: string): Promise<Json | null>;
  /** Stores a copy of the value, replacing any earlier one. Setting `null` deletes. */
  set(namespace: string, key: string, value: Json): Promise<void>;
  /** Removes the key. Removing an absent key is not an error. */
  delete(namespace: string, key: string): Promise<void>;
  /**
   * Returns entries ordered by the bytes of their keys in UTF-8, only those starting with `prefix` when one is given. No
   * character of a prefix is a wildcard.
   */
  list(namespace: string, prefix?: string, options?: ListOptions): Promise<StorageEntry[]>;
  /** Releases all resources. Closing twice is safe; any other call afterwards is an error. */
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
   * Writes `next` when the stored value equals `expected`, in one step, and returns whether it did. `null` stands for an
   * absent record on both sides; the order of an object's members makes no difference.
   */
  compareAndSet?(namespace: string, key: string, expected: Json | null, next: Json | null): Promise<boolean>;
  /**
   * Inserts those records that do not exist yet, each on its own, and says for each whether it did, in their order. Of
   * several with one key the first is inserted. `null` cannot be inserted. After a rejection each may have been inserted or
   * not, save for `invalid_value`: then none was.
   */
  insertAll?(writes: readonly { namespace: string; key: string; value: Json }[]): Promise<boolean[]>;
  /**
   * Makes several listings with few requests to the database, and returns the entries of each in the order of the listings.
   * Each listing is as `list` makes it; all need not show the storage at one moment. It rejects as a whole when one of them
   * cannot be made.
   */
  listMany?(listings: readonly Listing[]): Promise<StorageEntry[][]>;
  /** Resolves when the storage can be used. */
  ping?(): Promise<void>;
  /** Applies all writes or none, in their order. */
  transaction?(writes: readonly Write[]): Promise<void>;
  /**
   * Calls back when something in the namespace may have changed, also by another process. A hint: some are missed, some are false,
   * and one call may stand for many changes. The listener is called outside of any call of the driver; what it throws is
   * ignored. Returns the function that ends the watching, as `close` does. Watching keeps the process alive no
   * longer than the connections that the driver holds anyway do, and costs nothing without a listener. Throws instead of
   * rejecting.
   */
  watch?(namespace: string, listener: () => void): () => void;
}

/** A storage driver that may turn out to serve one process alone, such as MongoDB on a standalone server. */
export interface LimitedStorage {
  /**
   * The reason why only one process may use the storage for its sessions, with the way to mend it; `undefined` when several
   * may, and until a call was answered. `ifHeld` and `transaction` of several writes are then refused as `invalid_config`,
   * and core does without them.
   */
  readonly singleProcess: string | undefined;
}
