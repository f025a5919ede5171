import { integer, optional } from "@troupe/core/kit";
import type { OptionsOf, OptionTable } from "@troupe/core/kit";
import { tableNameOption } from "@troupe-internal/sql-storage";

/** Options of `PostgresStorage`: limits of its connections, and the name of its table. All have defaults. */
export type PostgresOptions = {
  /** The most connections at the same time. A given pool has its own limit. @default 10 */
  max?: number | undefined;
  /** Milliseconds that a call waits for a connection, at most an hour. @default 5000 */
  acquireTimeoutMs?: number | undefined;
  /** Milliseconds that a statement may take, at most an hour. @default 30_000 */
  statementTimeoutMs?: number | undefined;
  /** The schema of the table; created if it does not exist. @default "public" */
  schema?: string | undefined;
  /** The table of the records; created if it does not exist. @default "troupe_records" */
  table?: string | undefined;
};

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
