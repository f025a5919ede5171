import { checkKey, checkLeaseText, encodeSequence, sleep } from "@troupe/core/adapter";
import type {
  AppendedKey,
  AppendRequest,
  RangeQuery,
  RecordDatabase,
  TextRecord,
  TextSwap,
  TextWrite,
} from "@troupe/core/adapter";
import { nextAppendedKey } from "@troupe-internal/sql-storage";
import type { SqlCall, SqlRow, Statements } from "@troupe-internal/sql-storage";
import type { AppendStatement } from "./append-statement.ts";
import type { Connections, Query } from "./connections.ts";
import { isTransient, toPostgresFailure } from "./postgres-failure.ts";

const maxTries = 10;
const pauseMs = 10;

/** The statements on a storage's table, the connections that run them, and a function that releases the pool. */
export type OpenTable = {
  readonly statements: Statements;
  readonly append: AppendStatement;
  readonly connections: Connections;
  /** Releases the pool. */
  readonly end: () => Promise<void>;
};

/** The operations of `PostgresStorage` on its table, over the connections of a pool. */
export class PostgresDatabase implements RecordDatabase {
  readonly #table: OpenTable;

  constructor(table: OpenTable) {
    this.#table = table;
  }

  async read(namespace: string, key: string): Promise<unknown> {
    return textOf(await this.#query(this.#table.statements.read({ namespace, key })));
  }

  async write(write: TextWrite): Promise<void> {
    await this.#query(this.#table.statements.write(write));
  }

  async writeAll(writes: readonly TextWrite[]): Promise<void> {
    await this.#withConnection(async (query) => {
      await query({ sql: "begin", parameters: [] });
      // When a statement fails, the connection is ended, and the transaction with it.
      for (const write of writes) await query(this.#table.statements.write(write));
      await query({ sql: "commit", parameters: [] });
    });
  }

  async list(range: RangeQuery): Promise<TextRecord[]> {
    const rows = await this.#query(this.#table.statements.list(range));
    return rows.map(({ key = "", value }) => ({ key, text: value }));
  }

  /**
   * Appends without a transaction: one statement finds the number, checks the lease and stores. It stores nothing when
   * another writer took the number or wrote the lease meanwhile, and is then repeated.
   */
  async append(request: AppendRequest): Promise<AppendedKey> {
    const { namespace, keyPrefix, lease } = request;
    checkKey(namespace, keyPrefix + encodeSequence(1));
    const { statements, append } = this.#table;
    return await this.#withConnection(async (query) => {
      for (;;) {
        const leaseText = lease && textOf(await query(statements.read({ namespace: "locks", key: lease.key })));
        if (lease !== undefined) checkLeaseText(leaseText, lease);
        const [stored] = await query(append(request, leaseText as string | undefined));
        if (stored?.key !== undefined) return { key: stored.key, seq: Number(stored.key.slice(keyPrefix.length)) };
        const [last] = await query(statements.lastNumbered(request));
        // Throws when there is no number left.
        nextAppendedKey(request, last?.key);
      }
    });
  }

  async swap(swap: TextSwap): Promise<boolean> {
    return (await this.#query(this.#table.statements.swap(swap))).length > 0;
  }

  async ping(): Promise<void> {
    await this.read("ping", "ping");
  }

  async close(): Promise<void> {
    await this.#table.end();
  }

  async #query(call: SqlCall): Promise<readonly SqlRow[]> {
    return await this.#withConnection(async (query) => await query(call));
  }

  /** Repeats the work when the database rolled it back because of a concurrent transaction. */
  async #withConnection<Result>(work: (query: Query) => Promise<Result>): Promise<Result> {
    for (let tried = 1; ; tried += 1) {
      try {
        return await this.#table.connections.use(work);
      } catch (error) {
        if (!isTransient(error) || tried === maxTries) throw toPostgresFailure(error);
      }
      // Random, so that the transactions in conflict do not try again at the same time.
      await sleep(pauseMs * tried * Math.random());
    }
  }
}

function textOf([row]: readonly SqlRow[]): unknown {
  return row === undefined ? null : row.value;
}
