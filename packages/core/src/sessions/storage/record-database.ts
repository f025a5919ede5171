import type { AppendOptions } from "./storage-driver.ts";

/**
 * One record in a listing of a `RecordDatabase`. Its text is unchanged from the database: a value that is not JSON text
 * is reported as corrupt.
 */
export type TextRecord = { readonly key: string; readonly text: unknown };

/** A write of one record as JSON text, for a `RecordDatabase`. `null` deletes the record. */
export type RecordWrite = { readonly namespace: string; readonly key: string; readonly text: string | null };

/**
 * A compare-and-set of one record: writes `next` if the stored text is exactly `expected`. `null` stands for a missing
 * record. `expected` and `next` are not both `null`.
 */
export type RecordCompareAndSet = {
  readonly namespace: string;
  readonly key: string;
  readonly expected: string | null;
  readonly next: string | null;
};

/** A record of JSON text that a `RecordDatabase` inserts unless its key is taken. */
export type RecordInsert = RecordWrite & { readonly text: string };

/** A listing of the keys from `from` (inclusive) to `to` (exclusive), sorted by their UTF-8 bytes. */
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

/** Key of an appended record, and its number among the records with the same key prefix. */
export type AppendedKey = { key: string; seq: number };

/**
 * A database of records of JSON text: the part of a storage that differs between databases. `DatabaseStorage` makes it
 * a `StorageDriver` and checks keys and options. Every method rejects with a `TroupeError`.
 */
export interface RecordDatabase {
  /** The reason why only one process may use the records, and a remedy (see `SingleProcessStorage`). */
  readonly singleProcess?: string | undefined;
  /** Returns the text of a record, unchanged from the database, or `null` if it is missing. */
  read(namespace: string, key: string): Promise<unknown>;
  /** Stores a record, or deletes it for the text `null`. */
  write(write: RecordWrite): Promise<void>;
  /** Applies all writes or none. There are at least two, each to a different record, sorted by record. */
  writeAll(writes: readonly RecordWrite[]): Promise<void>;
  /** Returns the records of a range, sorted in its direction. */
  list(range: RangeQuery): Promise<readonly TextRecord[]>;
  /**
   * Returns the records of each range, in the order of the ranges, with few requests. There is at least one range; each
   * range has a limit, and none is reversed. Without this method, `list` is called for each range.
   */
  listMany?(ranges: readonly RangeQuery[]): Promise<(readonly TextRecord[])[]>;
  /**
   * Stores the text under the next number of the prefix (`encodeSequence`). No other append gets the same number, and
   * the lease is held until the text is stored (`checkLeaseRecord`).
   */
  append(request: AppendRequest): Promise<AppendedKey>;
  /** Compares the text of a record and replaces it, in one step. Returns true if the text was replaced. */
  swap(swap: RecordCompareAndSet): Promise<boolean>;
  /**
   * Inserts each record whose key is free, independently, and returns true for each inserted record. There is at least
   * one record. Without this method, `swap` is called for each record.
   */
  insertAll?(inserts: readonly RecordInsert[]): Promise<boolean[]>;
  /**
   * Calls `onChange` when another connection may have changed any record, until the returned function is called or the
   * database is closed. It must not keep the process alive longer than the database's other connections do.
   */
  watch?(onChange: () => void): () => void;
  /** Resolves if the database can read records. */
  ping(): Promise<void>;
  /** Releases the database. Called once, while no other call is running. */
  close(): Promise<void>;
}
