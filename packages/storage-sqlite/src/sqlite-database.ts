import { retryWhileBusy, toSqliteFailure } from "@troupe-internal/sqlite";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { checkLeaseRecord } from "@troupe/core/storage";
import type {
  AppendedKey,
  AppendRequest,
  RangeQuery,
  RecordDatabase,
  RecordInsert,
  TextRecord,
  RecordCompareAndSet,
  RecordWrite,
} from "@troupe/core/storage";
import { nextAppendedKey } from "@troupe-internal/sql-storage";
import type { SqlCall, SqlRow, Statements } from "@troupe-internal/sql-storage";

/**
 * Milliseconds between two checks for writes of other connections, while there are listeners. A check takes a few
 * microseconds.
 */
const lookMs = 20;

/** An open SQLite file: its connection, the statements on its table, and a check that the file is still at its path. */
export type OpenFile = {
  readonly database: DatabaseSync;
  readonly statements: Statements;
  readonly path: string;
  /** Milliseconds to wait while other processes lock the file. */
  readonly busyTimeoutMs: number;
  /** Throws if the SQLite file at the path has been removed or replaced. */
  readonly checkPath: () => void;
};

/**
 * The operations of `SqliteStorage` on one connection to its file. SQLite answers synchronously, so the statements of a
 * call are not interrupted: nothing else in this process happens between the begin and the commit of a transaction.
 */
export class SqliteDatabase implements RecordDatabase {
  readonly #file: OpenFile;
  readonly #prepared = new Map<string, StatementSync>();
  readonly #looking = new Set<NodeJS.Timeout>();

  constructor(file: OpenFile) {
    this.#file = file;
  }

  async read(namespace: string, key: string): Promise<unknown> {
    return await this.#retryWhileBusy(() => this.#read(namespace, key));
  }

  async write(write: RecordWrite): Promise<void> {
    await this.#retryWhileBusy(() => this.#run(this.#file.statements.write(write)));
  }

  async writeAll(writes: readonly RecordWrite[]): Promise<void> {
    await this.#retryWhileBusy(() =>
      this.#transact(() => writes.forEach((write) => this.#run(this.#file.statements.write(write)))),
    );
  }

  async list(range: RangeQuery): Promise<TextRecord[]> {
    return await this.#retryWhileBusy(() => this.#list(range));
  }

  async listMany(ranges: readonly RangeQuery[]): Promise<TextRecord[][]> {
    return await this.#retryWhileBusy(() => ranges.map((range) => this.#list(range)));
  }

  async append(request: AppendRequest): Promise<AppendedKey> {
    return await this.#retryWhileBusy(() => this.#transact(() => this.#append(request)));
  }

  async swap(swap: RecordCompareAndSet): Promise<boolean> {
    const written = await this.#retryWhileBusy(() => this.#run(this.#file.statements.swap(swap)));
    return written.length > 0;
  }

  async insertAll(inserts: readonly RecordInsert[]): Promise<boolean[]> {
    const insert = ({ namespace, key, text }: RecordInsert): boolean =>
      this.#run(this.#file.statements.swap({ namespace, key, expected: null, next: text })).length > 0;
    return await this.#retryWhileBusy(() => this.#transact(() => inserts.map(insert)));
  }

  watch(onChange: () => void): () => void {
    if (this.#file.path === ":memory:") return () => {};
    let seen = this.#dataVersion();
    const look = (): void => {
      const version = this.#dataVersion();
      if (version === seen) return;
      seen = version;
      onChange();
    };
    const timer = setInterval(look, lookMs).unref();
    this.#looking.add(timer);
    return () => {
      this.#looking.delete(timer);
      clearInterval(timer);
    };
  }

  async ping(): Promise<void> {
    await this.read("ping", "ping");
    this.#file.checkPath();
  }

  async close(): Promise<void> {
    for (const timer of this.#looking) clearInterval(timer);
    this.#prepared.clear();
    this.#file.database.close();
  }

  #list(range: RangeQuery): TextRecord[] {
    const rows = this.#run(this.#file.statements.list(range));
    return rows.map(({ key = "", value }) => ({ key, text: value }));
  }

  #read(namespace: string, key: string): unknown {
    const [row] = this.#run(this.#file.statements.read({ namespace, key }));
    return row === undefined ? null : row.value;
  }

  /** Returns a number that changes when another connection has written. `undefined` if the file cannot be read now. */
  #dataVersion(): unknown {
    try {
      return this.#statement("pragma data_version").get()?.["data_version"];
    } catch {
      return undefined;
    }
  }

  #append(request: AppendRequest): AppendedKey {
    const { namespace, text, lease } = request;
    if (lease !== undefined) checkLeaseRecord(this.#read("locks", lease.key), lease);
    const [last] = this.#run(this.#file.statements.lastNumbered(request));
    const appended = nextAppendedKey(request, last?.key);
    this.#run(this.#file.statements.write({ namespace, key: appended.key, text }));
    return appended;
  }

  /**
   * Performs work in a transaction. It begins "immediate", because a transaction that begins with a read fails at its
   * first write if another process has written in between.
   */
  #transact<Result>(work: () => Result): Result {
    const { database } = this.#file;
    this.#statement("begin immediate").run();
    try {
      const result = work();
      this.#statement("commit").run();
      return result;
    } finally {
      // After some failures SQLite itself has already ended the transaction.
      if (database.isTransaction) this.#statement("rollback").run();
    }
  }

  async #retryWhileBusy<Result>(attempt: () => Result): Promise<Result> {
    try {
      return await retryWhileBusy(this.#file.busyTimeoutMs, attempt);
    } catch (error) {
      throw toSqliteFailure(error, this.#file.path);
    }
  }

  #run({ sql, parameters }: SqlCall): readonly SqlRow[] {
    return this.#statement(sql).all(...parameters);
  }

  #statement(sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const statement = this.#file.database.prepare(sql);
    this.#prepared.set(sql, statement);
    return statement;
  }
}
