import { TroupeError } from "@troupe/core";
import type { AppendOptions, Json, ListOptions, StorageDriver, StorageEntry, Write } from "@troupe/core";
import { checkKey, checkListOptions, checkPrefix, parseJson, toJson, withTimeout } from "@troupe/core/adapter";
import type { Appended } from "./append-steps.ts";
import { compareAndSetSteps } from "./compare-and-set-steps.ts";
import { keyRange } from "./key-range.ts";
import { LazyConnection } from "./lazy-connection.ts";
import { ask, lastWrites, write } from "./record-steps.ts";
import type { TextWrite } from "./record-steps.ts";
import type { SqlConnection } from "./sql-connection.ts";
import type { SqlCall, SqlRow } from "./sql-steps.ts";
import type { Statements } from "./statements.ts";

const pingTimeoutMs = 1000;

/** How one database keeps the promises of a `StorageDriver`. */
export type SqlStorageParts = {
  /** What begins a sentence about it, like `The SQLite storage`. */
  name: string;
  /** Opens the database and has its table ready. Tried again by the next call when it fails. */
  open: () => Promise<SqlConnection>;
};

/** The whole of a `StorageDriver` on one table of a database: all that the drivers have in common. */
export class SqlStorage implements Required<StorageDriver> {
  readonly #name: string;
  readonly #connection: LazyConnection<SqlConnection>;

  constructor({ name, open }: SqlStorageParts) {
    this.#name = name;
    this.#connection = new LazyConnection(name, open);
  }

  async get(namespace: string, key: string): Promise<Json | null> {
    checkKey(namespace, key);
    const [row] = await this.#ask(({ read }) => read({ namespace, key }));
    return row === undefined ? null : parseJson(row.value, { namespace, key });
  }

  async set(namespace: string, key: string, value: Json): Promise<void> {
    await this.#write(toWrite({ namespace, key, value }));
  }

  async delete(namespace: string, key: string): Promise<void> {
    await this.#write(toWrite({ namespace, key, value: null }));
  }

  async list(namespace: string, prefix = "", options: ListOptions = {}): Promise<StorageEntry[]> {
    checkPrefix(namespace, prefix);
    checkListOptions(options);
    const range = { namespace, ...keyRange(prefix, options), limit: options.limit ?? Number.MAX_SAFE_INTEGER };
    const rows = await this.#ask(({ list, listDown }) => (options.reverse === true ? listDown : list)(range));
    return rows.map(({ key = "", value }) => ({ key, value: parseJson(value, { namespace, key }) }));
  }

  // oxlint-disable-next-line max-params -- the contract's shape
  async append(namespace: string, keyPrefix: string, value: Json, { ifHeld }: AppendOptions = {}): Promise<Appended> {
    checkPrefix(namespace, keyPrefix);
    if (ifHeld !== undefined) checkKey("locks", ifHeld.key);
    const text = toText(value);
    if (text === null) throw new TroupeError("invalid_value", "null cannot be appended: it stands for no record.");
    const request = { namespace, keyPrefix, text, ...(ifHeld !== undefined && { ifHeld: { ...ifHeld } }) };
    return await this.#connection.use(async (connection) => await connection.append(request));
  }

  // oxlint-disable-next-line max-params -- the contract's shape
  async compareAndSet(namespace: string, key: string, expected: Json | null, next: Json | null): Promise<boolean> {
    checkKey(namespace, key);
    const swap = { namespace, key, expected: toJson(expected), next: toText(next) };
    return await this.#connection.use(
      async (connection) => await connection.run(() => compareAndSetSteps(connection.statements, swap)),
    );
  }

  /** Resolves when the storage can be used, and fails when that is not known within a second. */
  async ping(): Promise<void> {
    const answered = this.#connection.use(async (connection) => await connection.ping());
    await withTimeout(answered, {
      timeoutMs: pingTimeoutMs,
      onTimeout: () => {
        throw new TroupeError("storage_unavailable", `${this.#name} did not answer within ${pingTimeoutMs} ms.`);
      },
    });
  }

  async transaction(writes: readonly Write[]): Promise<void> {
    const texts = lastWrites(writes.map(toWrite));
    await this.#connection.use(
      async (connection) => await connection.transact(() => write(connection.statements, texts)),
    );
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  async #ask(call: (statements: Statements) => SqlCall): Promise<readonly SqlRow[]> {
    return await this.#connection.use(
      async (connection) => await connection.run(() => ask(call(connection.statements))),
    );
  }

  async #write(textWrite: TextWrite): Promise<void> {
    await this.#connection.use(
      async (connection) => await connection.run(() => write(connection.statements, [textWrite])),
    );
  }
}

function toWrite({ namespace, key, value }: Write): TextWrite {
  checkKey(namespace, key);
  return { namespace, key, text: toText(value) };
}

function toText(value: Json | null): string | null {
  const json = toJson(value);
  return json === null ? null : JSON.stringify(json);
}
