import type { RangeQuery, RecordInsert } from "@troupe/core/storage";
import type { SqlStatement } from "@troupe-internal/postgres";

/**
 * Statements that read or write any number of records in one round trip to the server. The keys of records to write
 * must differ.
 */
export type BatchStatements = {
  /**
   * Selects keys and values of the records of each range with the range's position (from 1), ordered by position and
   * key.
   */
  readonly list: (ranges: readonly RangeQuery[]) => SqlStatement;
  /** Inserts those records that do not exist, and returns namespace and key of each inserted record. */
  readonly insert: (records: readonly RecordInsert[]) => SqlStatement;
  /** Stores all records or none. */
  readonly store: (records: readonly RecordInsert[]) => SqlStatement;
};

/**
 * Largest number of characters in the texts of one statement. PostgreSQL refuses values of a gigabyte, and holds all of
 * them in memory.
 */
const maxCharacters = 16_000_000;

/** Returns the SQL of batches for a table. `table`: its quoted name with schema. */
export function batchStatements(table: string): BatchStatements {
  const insertion = `
    insert into ${table} (namespace, key, value)
    select * from unnest($1::text[], $2::text[], $3::text[])`;
  const list = `
    select place::int, record.key, record.value
    from unnest($1::text[], $2::text[], $3::text[], $4::bigint[])
      with ordinality as range (namespace, first, past, most, place),
    lateral (
      select key, value from ${table}
      where namespace = range.namespace and key >= range.first and key < range.past
      order by key limit range.most
    ) as record
    order by place, record.key`;
  const insert = `${insertion} on conflict do nothing returning namespace, key`;
  const store = `${insertion} on conflict (namespace, key) do update set value = excluded.value`;
  return {
    list: (ranges) => ({ sql: list, parameters: boundsOf(ranges) }),
    insert: (records) => ({ sql: insert, parameters: columnsOf(records) }),
    store: (records) => ({ sql: store, parameters: columnsOf(records) }),
  };
}

/**
 * Returns a name that identifies a record in all namespaces. NUL separates its parts, because no namespace contains
 * NUL.
 */
export function recordOf({ namespace, key }: { readonly namespace: string; readonly key: string }): string {
  return `${namespace}\0${key}`;
}

/**
 * Returns the first record of each key, in an order that all processes share, so that concurrent batches cannot
 * deadlock.
 */
export function firstRecords(records: readonly RecordInsert[]): RecordInsert[] {
  const firsts = new Map(records.map((each) => [recordOf(each), each] as const).toReversed());
  return [...firsts].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, each]) => each);
}

/** Splits records into batches that fit into one statement each. */
export function toBatches(records: readonly RecordInsert[]): RecordInsert[][] {
  const batches: RecordInsert[][] = [];
  let room = 0;
  for (const record of records) {
    const size = record.namespace.length + record.key.length + record.text.length;
    if (room < size) {
      batches.push([]);
      room = maxCharacters;
    }
    batches.at(-1)?.push(record);
    room -= size;
  }
  return batches;
}

function columnsOf(records: readonly RecordInsert[]): string[][] {
  return [records.map(({ namespace }) => namespace), records.map(({ key }) => key), records.map(({ text }) => text)];
}

function boundsOf(ranges: readonly RangeQuery[]): unknown[] {
  return [
    ranges.map(({ namespace }) => namespace),
    ranges.map(({ from }) => from),
    ranges.map(({ to }) => to),
    ranges.map(({ limit }) => limit ?? null),
  ];
}
