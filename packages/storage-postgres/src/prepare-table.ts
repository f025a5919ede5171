import { TroupeError } from "@troupe/core";
import type { SqlCall, Statements } from "@troupe-internal/sql-storage";
import type { Query } from "./connections.ts";
import type { PostgresSettings } from "./postgres-options.ts";

/** Where the records are. */
export type TableName = Pick<PostgresSettings, "schema" | "table">;

/** What is there. */
type Found = { table: boolean; schema: boolean; encoding: string };

// Asked of the catalog itself: the functions that look names up may remember what was there before we waited.
const look = `
  select exists (select from pg_namespace where nspname = $1) as schema,
    exists (select from pg_tables where schemaname = $1 and tablename = $2) as table,
    current_setting('server_encoding') as encoding`;

/** The name as it stands in a statement. */
export function quoted({ schema, table }: TableName): string {
  return `"${schema}"."${table}"`;
}

/**
 * Makes the table, and its schema, when they are not there. One that is there is left alone, so a role without the right
 * to create anything can use it; of several that start at the same time one makes it and the others wait.
 */
export async function prepareTable(query: Query, statements: Statements, name: TableName): Promise<void> {
  const [found] = await query<Found>(call(look, name.schema, name.table));
  checkEncoding(found?.encoding);
  if (found?.table === true) return;
  await query(call("begin"));
  await query(call("select pg_advisory_xact_lock(hashtext('troupe'))"));
  const [now] = await query<Found>(call(look, name.schema, name.table));
  // Not even "if not exists" goes through without the right to create.
  if (now?.schema !== true) await query(call(`create schema "${name.schema}"`));
  await query(statements.createTable({}));
  await query(call("commit"));
}

function checkEncoding(encoding: unknown): void {
  if (encoding === "UTF8") return;
  const sentence = `The database must be encoded in UTF8 to hold any text, but it is in ${String(encoding)}: create another one.`;
  throw new TroupeError("storage_unavailable", sentence);
}

function call(sql: string, ...parameters: string[]): SqlCall {
  return { sql, parameters };
}
