import { TroupeError } from "@troupe/core";
import type { Query } from "@troupe-internal/postgres";
import type { SqlCall, Statements } from "@troupe-internal/sql-storage";
import type { PostgresSettings } from "./postgres-options.ts";

/** The unquoted names of a storage's table and its schema. */
export type TableName = Pick<PostgresSettings, "schema" | "table">;

/**
 * The row that the query `look` returns: true if the storage's table and schema exist, and the server's text encoding.
 */
type Found = { table: boolean; schema: boolean; encoding: string };

// The query reads the catalog tables: functions like to_regclass may answer from a cache that is older than the lock.
const look = `
  select exists (select from pg_namespace where nspname = $1) as schema,
    exists (select from pg_tables where schemaname = $1 and tablename = $2) as table,
    current_setting('server_encoding') as encoding`;

/** Returns the name of a table with its schema, quoted for SQL: `"schema"."table"`. */
export function quotedTableName({ schema, table }: TableName): string {
  return `"${schema}"."${table}"`;
}

/**
 * Creates the table and its schema if they do not exist. If they exist, runs no statement that creates anything, so
 * that a role without that right can use the table. If several processes start at the same time, one creates the table
 * and the others wait.
 */
export async function prepareTable(query: Query, statements: Statements, name: TableName): Promise<void> {
  const [found] = await query<Found>(call(look, name.schema, name.table));
  checkEncoding(found?.encoding);
  if (found?.table === true) return;
  await query(call("begin"));
  await query(call("select pg_advisory_xact_lock(hashtext('troupe'))"));
  const [now] = await query<Found>(call(look, name.schema, name.table));
  // The schema is checked first, because even "if not exists" requires the right to create.
  if (now?.schema !== true) await query(call(`create schema "${name.schema}"`));
  await query(statements.createTable);
  await query(call("commit"));
}

function checkEncoding(encoding: unknown): void {
  if (encoding === "UTF8") return;
  const sentence = `The database must be encoded in UTF8, got ${String(encoding)}. Use another database.`;
  throw new TroupeError("storage_unavailable", sentence);
}

function call(sql: string, ...parameters: string[]): SqlCall {
  return { sql, parameters };
}
