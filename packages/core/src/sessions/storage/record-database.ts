import type { AppendOptions } from "./storage-driver.ts";

/**
 * One record in a listing of a `RecordDatabase`. Its text is as the database returned it: anything but JSON text is
 * reported as corrupt.
 */
export type TextRecord = { readonly key: string; readonly text: unknown };

/** A write of one record as JSON text, for a `RecordDatabase`; `null` deletes the record. */
export type TextWrite = { readonly namespace: string; readonly key: string; readonly text: string | null };

/**
 * A compare-and-set of one record: writes `next` if the stored text is exactly `expected`. `null` stands for no record,
 * on one side at most.
 */
export type TextSwap = {
  readonly namespace: string;
  readonly key: string;
  readonly expected: string | null;
  readonly next: string | null;
};

/** A record of JSON text that a `RecordDatabase` inserts unless its key is taken. */
export type TextInsert = TextWrite & { readonly text: string };

/** A listing of the keys from `from`, included, to `to`, excluded, in the order of their bytes in UTF-8. */
export type RangeQuery = {
  readonly namespace: string;
  readonly from: string;
  readonly to: string;
  readonly limit: number | undefined;
  readonly reverse: boolean;
};

/** A lease that an append depends on: the record `key` of the namespace `locks`, with this token. */
export type RequiredLease = NonNullable<AppendOptions["ifHeld"]>;

/** JSON text for a `RecordDatabase` to store under the next number of a key prefix, if the lease is held. */
export type AppendRequest = {
  readonly namespace: string;
  readonly keyPrefix: string;
  readonly text: string;
  readonly lease: RequiredLease | undefined;
};

/** Key of an appended record, and its number among those with the prefix. */
export type AppendedKey = { key: string; seq: number };

/**
 * A database of records of JSON text: the part of a storage that differs between databases. `DatabaseStorage` makes a
 * `StorageDriver` of it, and checks keys and options first. Every member rejects with a `TroupeError`.
 */
export interface RecordDatabase {
  /** The reason why only one process may use the records, with the way to mend it (`LimitedStorage`). */
  readonly singleProcess?: string | undefined;
  /** Returns the text of a record, as the database returned it, or `null` when there is none. */
  read(namespace: string, key: string): Promise<unknown>;
  /** Stores or deletes a record. */
  write(write: TextWrite): Promise<void>;
  /** Applies all writes or none. There are at least two, each to a record of its own, in the order of the records. */
  writeAll(writes: readonly TextWrite[]): Promise<void>;
  /** Returns the records of a range, in its order. */
  list(range: RangeQuery): Promise<readonly TextRecord[]>;
  /**
   * Returns the records of each range, in the order of the ranges, by few requests. There is at least one; each has a limit,
   * and none is reversed. Without it each range is a `list`.
   */
  listMany?(ranges: readonly RangeQuery[]): Promise<(readonly TextRecord[])[]>;
  /**
   * Stores the text under the next number of the prefix (`encodeSequence`). No other append gets the number, and the lease
   * is held until the text is stored (`checkLease`).
   */
  append(request: AppendRequest): Promise<AppendedKey>;
  /** Compares and writes in one step, and tells if it wrote. */
  swap(swap: TextSwap): Promise<boolean>;
  /**
   * Inserts each record whose key is free, on its own, and says for each whether it did. There is at least one. Without it
   * each record is a `swap`.
   */
  insertAll?(inserts: readonly TextInsert[]): Promise<boolean[]>;
  /**
   * Calls back when another connection may have changed any record, until the returned function is called or the database is
   * closed. It must not keep the process alive beyond the connections that the database holds anyway.
   */
  watch?(onChange: () => void): () => void;
  /** Resolves when records can be read. */
  ping(): Promise<void>;
  /** Releases the database. Called once, when no other call is running. */
  close(): Promise<void>;
}
