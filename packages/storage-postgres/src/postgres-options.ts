import { integer, optional, wrongOption } from "@troupe/core/adapter";
import type { OptionsOf, OptionTable } from "@troupe/core/adapter";
import { tableNameOption } from "@troupe-internal/sql-storage";
import type { PostgresPool } from "./postgres-pool.ts";
import { readConnectionString } from "./read-connection-string.ts";
import type { ServerAddress } from "./read-connection-string.ts";

/** Options of `PostgresStorage`: limits of its connections, and the name of its table. All have defaults. */
export type PostgresOptions = {
  /** The most connections at the same time. A given pool has its own limit. @default 10 */
  max?: number | undefined;
  /** Milliseconds that a call waits for a connection. @default 5000 */
  acquireTimeoutMs?: number | undefined;
  /** Milliseconds that a statement may take. @default 30_000 */
  statementTimeoutMs?: number | undefined;
  /** The schema of the table; created if it does not exist. @default "public" */
  schema?: string | undefined;
  /** The table of the records; created if it does not exist. @default "troupe_records" */
  table?: string | undefined;
};

/**
 * The first argument of `PostgresStorage` as `readSource` returns it: a server to connect to, or a pool that belongs to
 * the caller.
 */
export type ConnectionSource = { address: ServerAddress } | { pool: PostgresPool };

/** Without a limit, a call or a shutdown could hang; 0 would mean that to the server. */
const timeout = integer(1, 3_600_000);

/** The checks and defaults of the options of `PostgresStorage` when the caller gave a pool: without `max`. */
export const poolOptionTable = {
  acquireTimeoutMs: optional(timeout, 5000),
  statementTimeoutMs: optional(timeout, 30_000),
  schema: optional(tableNameOption, "public"),
  table: optional(tableNameOption, "troupe_records"),
} satisfies OptionTable<Omit<PostgresOptions, "max">>;

/** The checks and defaults of the options of `PostgresStorage` when it has a pool of its own. */
export const postgresOptionTable = { max: optional(integer(1), 10), ...poolOptionTable };

/** Checked options of `PostgresStorage` with their defaults. `max` is absent when the caller gave a pool. */
export type PostgresSettings = OptionsOf<typeof poolOptionTable> & { max?: number };

/**
 * Reads the first argument of `PostgresStorage`: parses a connection string, or takes the pool of an object. Throws
 * `invalid_config` for any other value.
 */
export function readSource(connection: string | { pool: PostgresPool }): ConnectionSource {
  if (typeof connection === "string") return { address: readConnectionString(connection) };
  const pool: Partial<PostgresPool> | undefined = (connection as { pool?: PostgresPool } | null)?.pool;
  if (typeof pool?.connect === "function" && typeof pool.on === "function") return { pool: pool as PostgresPool };
  throw wrongOption("connection", "a connection string, or { pool } with a Pool of pg", connection);
}
