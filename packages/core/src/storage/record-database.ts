import type { AppendOptions } from "./storage-driver.ts";

/** A record of one namespace. Its text is as the database returned it: anything but JSON text is reported as corrupt. */
export type TextRecord = { readonly key: string; readonly text: unknown };

/** A write of JSON text; `null` deletes. */
export type TextWrite = { readonly namespace: string; readonly key: string; readonly text: string | null };

/** A write in place of exactly the text `expected`. `null` stands for no record, on one side at most. */
export type TextSwap = {
  readonly namespace: string;
  readonly key: string;
  readonly expected: string | null;
  readonly next: string | null;
};

/** A listing of the keys from `from` up to, but without, `to`, by the bytes of their UTF-8. */
export type RangeQuery = {
  readonly namespace: string;
  readonly from: string;
  readonly to: string;
  readonly limit: number | undefined;
  readonly reverse: boolean;
};

/** A lease that an append depends on: the record `key` of the namespace `locks`, with this token. */
export type RequiredLease = NonNullable<AppendOptions["ifHeld"]>;

/** JSON text to append under the next number of a prefix. */
export type AppendRequest = {
  readonly namespace: string;
  readonly keyPrefix: string;
  readonly text: string;
  readonly lease: RequiredLease | undefined;
};

/** The place of an appended record. */
export type Appended = { key: string; seq: number };

/**
 * A database of records of text. `DatabaseStorage` makes a `StorageDriver` of it: keys and options are checked and
 * values are JSON text when they come here. Every member rejects with a `TroupeError`.
 */
export interface RecordDatabase {
  /** Returns the text of a record, as the database returned it, or `null` when there is none. */
  read(namespace: string, key: string): Promise<unknown>;
  /** Stores or deletes a record. */
  write(write: TextWrite): Promise<void>;
  /** Applies all writes or none. There are at least two, each to a record of its own, in the order of the records. */
  writeAll(writes: readonly TextWrite[]): Promise<void>;
  /** Returns the records of a range, in its order. */
  list(range: RangeQuery): Promise<readonly TextRecord[]>;
  /**
   * Stores the text under the next number of the prefix (`encodeSequence`). No other append gets the number, and the lease
   * is held until the text is stored (`checkLease`).
   */
  append(request: AppendRequest): Promise<Appended>;
  /** Compares and writes in one step, and tells if it wrote. */
  swap(swap: TextSwap): Promise<boolean>;
  /** Resolves when records can be read. */
  ping(): Promise<void>;
  /** Releases the database. Called once, when no other call is running. */
  close(): Promise<void>;
}
