import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";

/** A row of an SQLite result, with its columns in the order of the statement. */
export type SqliteRow = readonly (SQLOutputValue | undefined)[];

/** A connection to an SQLite file that caches its prepared statements. SQLite answers synchronously. */
export class SqliteConnection {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  get isTransaction(): boolean {
    return this.#database.isTransaction;
  }

  run(sql: string, ...values: SQLInputValue[]): void {
    this.#statement(sql).run(...values);
  }

  rows(sql: string, ...values: SQLInputValue[]): SqliteRow[] {
    return this.#statement(sql).all(...values) as unknown as SqliteRow[];
  }

  row(sql: string, ...values: SQLInputValue[]): SqliteRow | undefined {
    return this.#statement(sql).get(...values) as SqliteRow | undefined;
  }

  close(): void {
    this.#prepared.clear();
    this.#database.close();
  }

  #statement(sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(true);
    this.#prepared.set(sql, statement);
    return statement;
  }
}
