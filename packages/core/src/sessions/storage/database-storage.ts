import { mapBounded } from "../../base/async/map-bounded.ts";
import { withTimeout } from "../../base/async/with-timeout.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { equalJson } from "../../base/util/equal-json.ts";
import { parseJson, toJson, toJsonText } from "./check-json.ts";
import { DatabaseWatch } from "./database-watch.ts";
import { checkRecordKey, checkListing, checkListOptions, checkPrefix } from "./check-key.ts";
import type { Json } from "./json.ts";
import { keyRange } from "./key-range.ts";
import { LazyConnection } from "../../base/async/lazy-connection.ts";
import type {
  AppendedKey,
  RangeQuery,
  RecordDatabase,
  RecordInsert,
  TextRecord,
  RecordCompareAndSet,
  RecordWrite,
} from "./record-database.ts";
import type {
  AppendOptions,
  SingleProcessStorage,
  Listing,
  ListOptions,
  StorageDriver,
  StorageEntry,
  Write,
} from "./storage-driver.ts";
import { WatchedNamespaces } from "./watched-namespaces.ts";

const pingTimeoutMs = 1000;

/** Options of `DatabaseStorage`. */
export type DatabaseStorageOptions = {
  /** The storage's name at the beginning of error messages: `The SQLite storage`. */
  readonly name: string;
  /** Opens the database on the first call. After a failure the next call tries again. */
  readonly open: () => Promise<RecordDatabase>;
  /** The maximum JSON text that the database can store, in bytes. @default no limit */
  readonly maxTextBytes?: number;
};

/**
 * Base class of the storages for SQLite, PostgreSQL and MongoDB: a complete `StorageDriver` over a `RecordDatabase`.
 * Checks arguments, converts values to JSON text, opens the database on the first call, and closes it. A storage whose
 * database can be watched adds `watch`, by `watchRecords`.
 */
export class DatabaseStorage implements Omit<Required<StorageDriver>, "watch">, SingleProcessStorage {
  readonly #name: string;
  readonly #maxTextBytes: number;
  readonly #connection: LazyConnection<RecordDatabase>;
  readonly #watched = new WatchedNamespaces();
  #watch: DatabaseWatch | undefined;
  #singleProcess: string | undefined;

  constructor({ name, open, maxTextBytes = Infinity }: DatabaseStorageOptions) {
    this.#name = name;
    this.#maxTextBytes = maxTextBytes;
    this.#connection = new LazyConnection(name, async () => {
      const database = await open();
      this.#singleProcess = database.singleProcess;
      return database;
    });
  }

  get singleProcess(): string | undefined {
    return this.#singleProcess;
  }

  async get(namespace: string, key: string): Promise<Json | null> {
    checkRecordKey(namespace, key);
    return toValue(await this.#connection.use((database) => database.read(namespace, key)), namespace, key);
  }

  async set(namespace: string, key: string, value: Json): Promise<void> {
    const write = this.#toWrite({ namespace, key, value });
    await this.#connection.use((database) => database.write(write));
    this.#watched.change(namespace);
  }

  async delete(namespace: string, key: string): Promise<void> {
    checkRecordKey(namespace, key);
    await this.#connection.use((database) => database.write({ namespace, key, text: null }));
    this.#watched.change(namespace);
  }

  async list(namespace: string, prefix = "", options: ListOptions = {}): Promise<StorageEntry[]> {
    checkPrefix(namespace, prefix);
    checkListOptions(options);
    const { limit, reverse = false } = options;
    const range = { namespace, ...keyRange(prefix, options), limit, reverse };
    const records = await this.#connection.use((database) => database.list(range));
    return toEntries(namespace, records);
  }

  async listMany(listings: readonly Listing[]): Promise<StorageEntry[][]> {
    const ranges = listings.map((listing) => toRange(listing));
    if (ranges.length === 0) return [];
    const listed = await this.#connection.use(async (database) =>
      database.listMany === undefined
        ? await mapBounded(ranges, async (range) => await database.list(range))
        : await database.listMany(ranges),
    );
    return ranges.map(({ namespace }, index) => toEntries(namespace, listed[index] ?? []));
  }

  // oxlint-disable-next-line max-params -- `StorageDriver` names these parameters
  async append(
    namespace: string,
    keyPrefix: string,
    value: Json,
    { ifHeld }: AppendOptions = {},
  ): Promise<AppendedKey> {
    checkPrefix(namespace, keyPrefix);
    if (ifHeld !== undefined) checkRecordKey("locks", ifHeld.key);
    const text = this.#toText(value);
    if (text === null) throw nullRefused("appended");
    const request = { namespace, keyPrefix, text, lease: ifHeld && { ...ifHeld } };
    const appended = await this.#connection.use((database) => database.append(request));
    this.#watched.change(namespace);
    return appended;
  }

  // oxlint-disable-next-line max-params -- `StorageDriver` names these parameters
  async compareAndSet(namespace: string, key: string, expected: Json | null, next: Json | null): Promise<boolean> {
    checkRecordKey(namespace, key);
    const [wanted, text] = [toJson(expected), this.#toText(next)];
    const swap = { namespace, key, wanted, next: text };
    const isWritten = await this.#connection.use((database) => swapValue(database, swap));
    if (isWritten) this.#watched.change(namespace);
    return isWritten;
  }

  async insertAll(writes: readonly { namespace: string; key: string; value: Json }[]): Promise<boolean[]> {
    const inserts = writes.map((write) => this.#toInsert(write));
    if (inserts.length === 0) return [];
    const inserted = await this.#connection.use(async (database) =>
      database.insertAll === undefined ? await swapEach(database, inserts) : await database.insertAll(inserts),
    );
    for (const [index, { namespace }] of inserts.entries()) if (inserted[index]) this.#watched.change(namespace);
    return inserted;
  }

  /** Resolves if the storage is usable, and rejects if it does not answer within a second. */
  async ping(): Promise<void> {
    const answered = this.#connection.use((database) => database.ping());
    await withTimeout(answered, { timeoutMs: pingTimeoutMs, onTimeout: () => this.#failLate() });
  }

  async transaction(writes: readonly Write[]): Promise<void> {
    const texts = lastWrites(writes.map((write) => this.#toWrite(write)));
    await this.#connection.use(async (database) => {
      const [only] = texts;
      if (texts.length > 1) await database.writeAll(texts);
      else if (only !== undefined) await database.write(only);
    });
    for (const { namespace } of texts) this.#watched.change(namespace);
  }

  /** Waits for running calls of this storage, then releases the database. */
  async close(): Promise<void> {
    this.#watch?.end();
    this.#watched.clear();
    await this.#connection.close();
  }

  /**
   * Watches a namespace, as `watch` of `StorageDriver` does: reports the writes of this object and the changes that the
   * database's `watch` reports.
   */
  protected watchRecords(namespace: string, listener: () => void): () => void {
    this.#connection.checkOpen();
    checkPrefix(namespace, "");
    const remove = this.#watched.add(namespace, listener);
    this.#watch ??= new DatabaseWatch(this.#connection, () => this.#watched.changeAll());
    return () => {
      remove();
      if (!this.#watched.isEmpty) return;
      this.#watch?.end();
      this.#watch = undefined;
    };
  }

  #toInsert({ namespace, key, value }: Write): RecordInsert {
    const { text } = this.#toWrite({ namespace, key, value });
    if (text === null) throw nullRefused("inserted");
    return { namespace, key, text };
  }

  #toWrite({ namespace, key, value }: Write): RecordWrite {
    checkRecordKey(namespace, key);
    return { namespace, key, text: this.#toText(value) };
  }

  #toText(value: Json | null): string | null {
    const text = toJsonText(value) ?? null;
    if (text === null || this.#maxTextBytes === Infinity || Buffer.byteLength(text) <= this.#maxTextBytes) return text;
    const sentence = `${this.#name} holds at most ${this.#maxTextBytes} bytes of JSON in one record.`;
    throw new TroupeError("invalid_value", sentence);
  }

  #failLate(): never {
    throw new TroupeError("storage_unavailable", `${this.#name} did not answer within ${pingTimeoutMs} ms.`);
  }
}

function toRange(listing: Listing): RangeQuery {
  checkListing(listing);
  const { namespace, prefix, after, limit } = listing;
  return { namespace, ...keyRange(prefix, after === undefined ? {} : { after }), limit, reverse: false };
}

function toEntries(namespace: string, records: readonly TextRecord[]): StorageEntry[] {
  return records.map(({ key, text }) => ({ key, value: parseJson(text, { namespace, key }) }));
}

type ValueSwap = Omit<RecordCompareAndSet, "expected"> & { readonly wanted: Json | null };

/**
 * Performs a compare-and-set on JSON text. Each attempt replaces one exact text: first the text that Troupe would have
 * written, then the stored text, as long as that is equal as JSON.
 */
async function swapValue(database: RecordDatabase, { namespace, key, wanted, next }: ValueSwap): Promise<boolean> {
  for (let expected = textOf(wanted); ;) {
    const isSet = expected !== null || next !== null;
    if (isSet && (await database.swap({ namespace, key, expected, next }))) return true;
    const stored = await database.read(namespace, key);
    if (!equalJson(toValue(stored, namespace, key), wanted)) return false;
    if (!isSet) return true;
    expected = stored as string | null;
  }
}

/** Inserts each record by a compare-and-set. A repeated key is inserted once. */
async function swapEach(database: RecordDatabase, inserts: readonly RecordInsert[]): Promise<boolean[]> {
  const firsts = new Map(inserts.map((each) => [recordOf(each), each] as const).toReversed());
  return await mapBounded(inserts, async (insert) => {
    if (firsts.get(recordOf(insert)) !== insert) return false;
    const { namespace, key, text } = insert;
    return await database.swap({ namespace, key, expected: null, next: text });
  });
}

/**
 * Drops all but the last write to each record, and sorts by record, so that two transactions never wait for each other.
 */
function lastWrites(writes: readonly RecordWrite[]): RecordWrite[] {
  const byRecord = new Map(writes.map((each) => [recordOf(each), each]));
  return [...byRecord].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, each]) => each);
}

/** Returns a record's name that is unique among all namespaces: no namespace contains NUL. */
function recordOf({ namespace, key }: { namespace: string; key: string }): string {
  return `${namespace}\0${key}`;
}

function toValue(text: unknown, namespace: string, key: string): Json | null {
  return text === null ? null : parseJson(text, { namespace, key });
}

function textOf(value: Json | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

function nullRefused(done: string): TroupeError {
  return new TroupeError("invalid_value", `null cannot be ${done}: it stands for no record.`);
}
