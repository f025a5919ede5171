import { checkRecordKey, checkLeaseRecord, encodeSequence } from "@troupe/core/storage";
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
import type { Connections, SqlStatement } from "@troupe-internal/postgres";
import { nextAppendedKey } from "@troupe-internal/sql-storage";
import type { SqlRow, Statements } from "@troupe-internal/sql-storage";
import type { AppendStatement } from "./append-statement.ts";
import { firstRecords, recordOf, toBatches } from "./batch-statements.ts";
import type { BatchStatements } from "./batch-statements.ts";
import { isAnnounced } from "./change-notifier.ts";
import type { ChangeNotifier } from "./change-notifier.ts";

/** The statements on a storage's table, the connections that run them, and the function that releases the pool. */
export type OpenTable = {
  readonly statements: Statements;
  readonly append: AppendStatement;
  readonly batches: BatchStatements;
  readonly connections: Connections;
  readonly notifier: ChangeNotifier;
  /** Calls `onChange` when other processes may have written. Returns the function that ends these calls. */
  readonly listen: (onChange: () => void) => () => void;
  /** Releases the pool. */
  readonly end: () => Promise<void>;
};

/** The operations of `PostgresStorage` on its table, over the connections of a pool. */
export class PostgresDatabase implements RecordDatabase {
  readonly #table: OpenTable;
  readonly #watching = new Set<() => void>();

  constructor(table: OpenTable) {
    this.#table = table;
  }

  async read(namespace: string, key: string): Promise<unknown> {
    return textOf(await this.#query(this.#table.statements.read({ namespace, key })));
  }

  async write(write: RecordWrite): Promise<void> {
    await this.#query(this.#table.statements.write(write));
    this.#announce([write]);
  }

  async writeAll(writes: readonly RecordWrite[]): Promise<void> {
    if (writes.every(isInsert) && toBatches(writes).length === 1) await this.#query(this.#table.batches.store(writes));
    else await this.#transact(writes);
    this.#announce(writes);
  }

  async #transact(writes: readonly RecordWrite[]): Promise<void> {
    await this.#table.connections.useRepeatedly(async (query) => {
      await query({ sql: "begin", parameters: [] });
      // If a statement fails, the connection is ended, and the transaction with it.
      for (const write of writes) await query(this.#table.statements.write(write));
      await query({ sql: "commit", parameters: [] });
    });
  }

  async list(range: RangeQuery): Promise<TextRecord[]> {
    const rows = await this.#query(this.#table.statements.list(range));
    return rows.map(({ key = "", value }) => ({ key, text: value }));
  }

  async listMany(ranges: readonly RangeQuery[]): Promise<TextRecord[][]> {
    const listed = ranges.map((): TextRecord[] => []);
    for (const { place, key, value } of await this.#query<ListedRow>(this.#table.batches.list(ranges)))
      listed[place - 1]?.push({ key, text: value });
    return listed;
  }

  /**
   * Appends without a transaction: one statement finds the number, checks the lease and stores the record. If another
   * writer has taken the number or changed the lease in the meantime, the statement stores nothing and is repeated.
   */
  async append(request: AppendRequest): Promise<AppendedKey> {
    const { namespace, keyPrefix } = request;
    checkRecordKey(namespace, keyPrefix + encodeSequence(1));
    const appended = await this.#append(request);
    this.#announce([request]);
    return appended;
  }

  async #append(request: AppendRequest): Promise<AppendedKey> {
    const { keyPrefix, lease } = request;
    const { statements, append } = this.#table;
    return await this.#table.connections.useRepeatedly(async (query) => {
      for (;;) {
        const leaseText = lease && textOf(await query<SqlRow>(statements.read({ namespace: "locks", key: lease.key })));
        if (lease !== undefined) checkLeaseRecord(leaseText, lease);
        const [stored] = await query<SqlRow>(append(request, leaseText as string | undefined));
        if (stored?.key !== undefined) return { key: stored.key, seq: Number(stored.key.slice(keyPrefix.length)) };
        const [last] = await query<SqlRow>(statements.lastNumbered(request));
        // Throws if no sequence number is left under the prefix.
        nextAppendedKey(request, last?.key);
      }
    });
  }

  async swap(swap: RecordCompareAndSet): Promise<boolean> {
    const isWritten = (await this.#query(this.#table.statements.swap(swap))).length > 0;
    if (isWritten) this.#announce([swap]);
    return isWritten;
  }

  async insertAll(inserts: readonly RecordInsert[]): Promise<boolean[]> {
    const firsts = firstRecords(inserts);
    const inserted = new Set<string>();
    for (const batch of toBatches(firsts)) {
      const rows = await this.#query<InsertedRow>(this.#table.batches.insert(batch));
      this.#announce(rows);
      for (const row of rows) inserted.add(recordOf(row));
    }
    const toInsert = new Set(firsts);
    return inserts.map((insert) => toInsert.has(insert) && inserted.has(recordOf(insert)));
  }

  async ping(): Promise<void> {
    await this.read("ping", "ping");
  }

  watch(onChange: () => void): () => void {
    const stop = this.#table.listen(onChange);
    this.#watching.add(stop);
    return () => {
      this.#watching.delete(stop);
      stop();
    };
  }

  async close(): Promise<void> {
    for (const stop of this.#watching) stop();
    await this.#table.notifier.close();
    await this.#table.end();
  }

  #announce(written: readonly { readonly namespace: string }[]): void {
    if (written.some(({ namespace }) => isAnnounced(namespace))) this.#table.notifier.announce();
  }

  async #query<Row = SqlRow>(statement: SqlStatement): Promise<readonly Row[]> {
    return await this.#table.connections.useRepeatedly(async (query) => await query<Row>(statement));
  }
}

type ListedRow = { readonly place: number; readonly key: string; readonly value: unknown };
type InsertedRow = { readonly namespace: string; readonly key: string };

function isInsert(write: RecordWrite): write is RecordInsert {
  return write.text !== null;
}

function textOf([row]: readonly SqlRow[]): unknown {
  return row === undefined ? null : row.value;
}
