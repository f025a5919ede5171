import { integerOption, optional } from "@troupe/core/kit";
import type { OptionsOf, OptionTable } from "@troupe/core/kit";
import { tableNameOption } from "@troupe-internal/sql-storage";

/** Options of `PostgresStorage`: limits of its connections, and the name of its table. All have defaults. */
export type PostgresOptions = {
  /** Largest number of connections. A given pool has its own limit. @default 10 */
  max?: number | undefined;
  /** Milliseconds that a call waits for a connection, at most an hour. @default 5000 */
  acquireTimeoutMs?: number | undefined;
  /** Milliseconds that a statement may take, at most an hour. @default 30_000 */
  statementTimeoutMs?: number | undefined;
  /** The schema of the table; created if it does not exist. @default "public" */
  schema?: string | undefined;
  /** The table of all records, such as sessions and runs; created if it does not exist. @default "troupe_records" */
  table?: string | undefined;
};

/** Timeouts are limited, because a call or a shutdown could otherwise hang. 0 would mean "no limit" to the server. */
const timeout = integerOption(1, 3_600_000);

/** The checks and defaults of the options of `PostgresStorage` with a given pool: without `max`. */
export const poolOptionTable = {
  acquireTimeoutMs: optional(timeout, 5000),
  statementTimeoutMs: optional(timeout, 30_000),
  schema: optional(tableNameOption, "public"),
  table: optional(tableNameOption, "troupe_records"),
} satisfies OptionTable<Omit<PostgresOptions, "max">>;

/** The checks and defaults of the options of `PostgresStorage` with its own pool. */
export const postgresOptionTable = { max: optional(integerOption(1), 10), ...poolOptionTable };

/** The checked options of `PostgresStorage`, with defaults. `max` is absent with a given pool. */
export type PostgresSettings = OptionsOf<typeof poolOptionTable> & { max?: number };
