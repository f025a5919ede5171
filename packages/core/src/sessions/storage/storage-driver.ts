import type { Json } from "./json.ts";

/** One stored record in a listing: its key and its value. */
export type StorageEntry = { key: string; value: Json };

/** Limit, direction and start of a listing of records. */
export type ListOptions = {
  /** Maximum number of entries: a positive integer. */
  limit?: number;
  /** True to list the last key first. */
  reverse?: boolean;
  /** Lists only keys after this key, in the direction of the listing. The key itself need not exist. */
  after?: string;
};

/**
 * One of several listings of `listMany`: the records of a namespace whose keys begin with a prefix and come after a
 * key.
 */
export type Listing = {
  namespace: string;
  prefix: string;
  /** Lists only keys after this key. The key itself need not exist. */
  after?: string;
  /** Maximum number of entries: a positive integer. */
  limit: number;
};

/**
 * Condition of an append: it is rejected as `conflict` unless the record `key` in the namespace `locks` is an object
 * with this fencing `token`. The check and the write are one step. An expired lease remains valid until another process
 * takes it over.
 */
export type AppendOptions = { ifHeld?: { key: string; token: number } };

/** One write of a transaction; a `null` value deletes. */
export type Write = { namespace: string; key: string; value: Json | null };

/**
 * Namespaced key-value storage: sessions, memories and facts are stored in it.
 *
 * The first five methods are sufficient for correct operation within one process; such a driver may also ignore the
 * `options` of `list`. The other methods are optional, and core uses the methods that exist.
 *
 * Every method rejects with a `TroupeError`. The code is `storage_unavailable` if the storage cannot be reached or is
 * closed, and `storage_corrupt` if a stored record cannot be read. It is `invalid_value`, before anything is written,
 * for a value that not every driver could return unchanged:
 * - a namespace or key that is empty, contains NUL or an unpaired surrogate, or is longer than 1,024 bytes
 *   (`checkRecordKey`);
 * - a value that is not JSON or nests deeper than 64 levels (`toJson`).
 *
 * Members that are `undefined` are omitted. Any well-formed string is allowed as a value or a member's name, including
 * NUL and `__proto__`.
 */
export interface StorageDriver {
  /** Returns the value, or `null` if the key is absent. The caller may change the returned object. */
  get(namespace: string, key: string): Promise<Json | null>;
  /** Stores a copy of the value, replacing any earlier value. Setting `null` deletes. */
  set(namespace: string, key: string, value: Json): Promise<void>;
  /** Removes the key. Removing an absent key is not an error. */
  delete(namespace: string, key: string): Promise<void>;
  /**
   * Returns entries sorted by the UTF-8 bytes of their keys; if `prefix` is given, only entries whose keys start with
   * it. No character of a prefix is a wildcard.
   */
  list(namespace: string, prefix?: string, options?: ListOptions): Promise<StorageEntry[]>;
  /** Releases all resources. Closing twice is safe; any other call afterwards is an error. */
  close(): Promise<void>;

  /**
   * Stores the value under `<keyPrefix><seq>`. `seq` is written with 12 digits and is one more than the highest number
   * now stored under this prefix, or 1. Concurrent appends get different numbers, even from several processes. `null`
   * cannot be appended.
   */
  append?(
    namespace: string,
    keyPrefix: string,
    value: Json,
    options?: AppendOptions,
  ): Promise<{ key: string; seq: number }>;
  /**
   * Writes `next` if the stored value equals `expected`, in one step. Returns true if `next` was written. `null` stands
   * for an absent record on both sides; the order of an object's members is irrelevant.
   */
  compareAndSet?(namespace: string, key: string, expected: Json | null, next: Json | null): Promise<boolean>;
  /**
   * Inserts the records that do not exist yet, each independently, and returns true for each inserted record, in order.
   * If several have one key, the first is inserted. `null` cannot be inserted. After a rejection any of the records may
   * have been inserted, except after `invalid_value`: then no record was inserted.
   */
  insertAll?(writes: readonly { namespace: string; key: string; value: Json }[]): Promise<boolean[]>;
  /**
   * Makes several listings with few requests to the database, and returns the entries of each in the order of the
   * listings. Each result equals that of `list`; the listings need not show the storage at the same moment. It rejects
   * as a whole if one of them fails.
   */
  listMany?(listings: readonly Listing[]): Promise<StorageEntry[][]>;
  /** Resolves if the storage is usable. */
  ping?(): Promise<void>;
  /** Applies all writes of a transaction or none, in order. */
  transaction?(writes: readonly Write[]): Promise<void>;
  /**
   * Calls `listener` when a record of the namespace may have changed, including changes by another process. Calls are
   * hints: some are missed, some are false, and one may stand for many changes. The listener runs outside the driver's
   * own calls, and its errors are ignored. Returns the function that ends the watching; `close` ends it too. Watching
   * does not keep the process alive longer than the driver's other connections, and costs nothing without a listener.
   * This method throws instead of rejecting.
   */
  watch?(namespace: string, listener: () => void): () => void;
}

/** A storage driver that may only serve a single process, such as MongoDB on a standalone server. */
export interface SingleProcessStorage {
  /**
   * The reason why only one process may use the storage for its sessions, and a remedy. It is `undefined` if several
   * processes may use it, or until the first call was answered. Unless it is undefined, core uses neither `ifHeld` nor
   * a `transaction` of several writes, and the database may reject both as `invalid_config`.
   */
  readonly singleProcess: string | undefined;
}
