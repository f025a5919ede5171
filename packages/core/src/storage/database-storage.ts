import { withTimeout } from "../async/with-timeout.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import { equalJson } from "../util/equal-json.ts";
import { parseJson, toJson } from "./check-json.ts";
import { checkKey, checkListOptions, checkPrefix } from "./check-key.ts";
import type { Json } from "./json.ts";
import { keyRange } from "./key-range.ts";
import { LazyConnection } from "../async/lazy-connection.ts";
import type { AppendedKey, RecordDatabase, TextSwap, TextWrite } from "./record-database.ts";
import type {
  AppendOptions,
  LimitedStorage,
  ListOptions,
  StorageDriver,
  StorageEntry,
  Write,
} from "./storage-driver.ts";

const pingTimeoutMs = 1000;

/** The database of a `DatabaseStorage`, its name in error messages, and its largest text. */
export type DatabaseStorageOptions = {
  /** Begins error messages: `The SQLite storage`. */
  readonly name: string;
  /** Opens the database, on the first call. After a failure the next call tries again. */
  readonly open: () => Promise<RecordDatabase>;
  /** The longest JSON text that the database holds, in bytes. @default no limit */
  readonly maxTextBytes?: number;
};

/**
 * Base class of the storages for SQLite, PostgreSQL and MongoDB: a whole `StorageDriver` over a `RecordDatabase`.
 * Checks arguments, converts values to JSON text, opens the database on the first call, and closes it.
 */
export class DatabaseStorage implements Required<StorageDriver>, LimitedStorage {
  readonly #name: string;
  readonly #maxTextBytes: number;
  readonly #connection: LazyConnection<RecordDatabase>;
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
    checkKey(namespace, key);
    return toValue(await this.#connection.use((database) => database.read(namespace, key)), namespace, key);
  }

  async set(namespace: string, key: string, value: Json): Promise<void> {
    const write = this.#toWrite({ namespace, key, value });
    await this.#connection.use((database) => database.write(write));
  }

  async delete(namespace: string, key: string): Promise<void> {
    checkKey(namespace, key);
    await this.#connection.use((database) => database.write({ namespace, key, text: null }));
  }

  async list(namespace: string, prefix = "", options: ListOptions = {}): Promise<StorageEntry[]> {
    checkPrefix(namespace, prefix);
    checkListOptions(options);
    const { limit, reverse = false } = options;
    const range = { namespace, ...keyRange(prefix, options), limit, reverse };
    const records = await this.#connection.use((database) => database.list(range));
    return records.map(({ key, text }) => ({ key, value: parseJson(text, { namespace, key }) }));
  }

  // oxlint-disable-next-line max-params -- the contract's shape
  async append(
    namespace: string,
    keyPrefix: string,
    value: Json,
    { ifHeld }: AppendOptions = {},
  ): Promise<AppendedKey> {
    checkPrefix(namespace, keyPrefix);
    if (ifHeld !== undefined) checkKey("locks", ifHeld.key);
    const text = this.#toText(value);
    if (text === null) throw new TroupeError("invalid_value", "null cannot be appended: it stands for no record.");
    const request = { namespace, keyPrefix, text, lease: ifHeld && { ...ifHeld } };
    return await this.#connection.use((database) => database.append(request));
  }

  // oxlint-disable-next-line max-params -- the contract's shape
  async compareAndSet(namespace: string, key: string, expected: Json | null, next: Json | null): Promise<boolean> {
    checkKey(namespace, key);
    const [wanted, text] = [toJson(expected), this.#toText(next)];
    return await this.#connection.use((database) => swapValue(database, { namespace, key, wanted, next: text }));
  }

  /** Resolves when the storage can be used, and fails when it does not answer within a second. */
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
  }

  /** Waits for running calls, then releases the database. */
  async close(): Promise<void> {
    await this.#connection.close();
  }

  #toWrite({ namespace, key, value }: Write): TextWrite {
    checkKey(namespace, key);
    return { namespace, key, text: this.#toText(value) };
  }

  #toText(value: Json | null): string | null {
    const text = textOf(toJson(value));
    if (text === null || this.#maxTextBytes === Infinity || Buffer.byteLength(text) <= this.#maxTextBytes) return text;
    const sentence = `${this.#name} holds at most ${this.#maxTextBytes} bytes of JSON in one record.`;
    throw new TroupeError("invalid_value", sentence);
  }

  #failLate(): never {
    throw new TroupeError("storage_unavailable", `${this.#name} did not answer within ${pingTimeoutMs} ms.`);
  }
}

type ValueSwap = Omit<TextSwap, "expected"> & { readonly wanted: Json | null };

/**
 * Sets by comparison. Each try writes in place of one exact text: the first takes the text that we would have written,
 * the others the stored one, as long as it means the same.
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

/** Drops all but the last write to each record, and sorts by record so that two transactions never wait for each other. */
function lastWrites(writes: readonly TextWrite[]): TextWrite[] {
  // No namespace holds NUL.
  const byRecord = new Map(writes.map((each) => [`${each.namespace}\0${each.key}`, each]));
  return [...byRecord].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, each]) => each);
}

function toValue(text: unknown, namespace: string, key: string): Json | null {
  return text === null ? null : parseJson(text, { namespace, key });
}

function textOf(value: Json | null): string | null {
  return value === null ? null : JSON.stringify(value);
}
