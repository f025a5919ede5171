import type { DatabaseSync, StatementSync } from "node:sqlite";
import { appendSteps } from "@troupe-internal/sql-storage";
import type {
  Appended,
  AppendRequest,
  SqlCall,
  SqlConnection,
  SqlRow,
  SqlSteps,
  Statements,
} from "@troupe-internal/sql-storage";
import { toSqliteFailure } from "./sqlite-failure.ts";
import { whenFree } from "./when-free.ts";

/** An open file. */
export type OpenFile = {
  database: DatabaseSync;
  statements: Statements;
  /** Its path. */
  file: string;
  /** How long a call waits for other processes. */
  busyTimeoutMs: number;
  /** Throws when the file is no longer what stands under its path. */
  checkPlace: () => void;
};

/**
 * One connection to one file. SQLite answers without waiting, so the steps of a call are run in one go: nothing of this
 * process can come between the beginning and the end of a transaction.
 */
export class SqliteConnection implements SqlConnection {
  readonly statements: Statements;
  readonly #file: OpenFile;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(file: OpenFile) {
    this.statements = file.statements;
    this.#file = file;
  }

  async run<Result>(begin: () => SqlSteps<Result>): Promise<Result> {
    return await this.#whenFree(() => this.#finish(begin()));
  }

  async transact<Result>(begin: () => SqlSteps<Result>): Promise<Result> {
    return await this.#whenFree(() => this.#inTransaction(() => this.#finish(begin())));
  }

  async append(request: AppendRequest): Promise<Appended> {
    return await this.transact(() => appendSteps(this.statements, request));
  }

  async ping(): Promise<void> {
    await this.#whenFree(() => this.#rows(this.statements.read({ namespace: "ping", key: "ping" })));
    this.#file.checkPlace();
  }

  async close(): Promise<void> {
    this.#prepared.clear();
    this.#file.database.close();
  }

  async #whenFree<Result>(attempt: () => Result): Promise<Result> {
    try {
      return await whenFree(this.#file.busyTimeoutMs, attempt);
    } catch (error) {
      throw toSqliteFailure(error, this.#file.file);
    }
  }

  #finish<Result>(steps: SqlSteps<Result>): Result {
    let step = steps.next();
    while (step.done !== true) step = steps.next(this.#rows(step.value));
    return step.value;
  }

  /** Immediate: one that begins by reading would fail at its first write when another process has written meanwhile. */
  #inTransaction<Result>(work: () => Result): Result {
    const { database } = this.#file;
    this.#statement("begin immediate").run();
    try {
      const result = work();
      this.#statement("commit").run();
      return result;
    } finally {
      // After a failure SQLite has in some cases ended it already.
      if (database.isTransaction) this.#statement("rollback").run();
    }
  }

  #rows({ sql, parameters }: SqlCall): readonly SqlRow[] {
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
