import { checkCount, checkOptionNames, wrongOption } from "@troupe/core/adapter";
import { checkTableName } from "@troupe-internal/sql-storage";
import type { PostgresPool } from "./postgres-pool.ts";
import { readConnectionString } from "./read-connection-string.ts";
import type { ServerAddress } from "./read-connection-string.ts";

const longestMs = 3_600_000;

/** How the database is used. */
export type PostgresOptions = {
  /** The most connections at the same time. A given pool has its own. @default 10 */
  max?: number;
  /** How long a call waits for a connection. @default 5000 */
  acquireTimeoutMs?: number;
  /** How long a statement may take. @default 30_000 */
  statementTimeoutMs?: number;
  /** The schema of the table; made when it is not there. @default "public" */
  schema?: string;
  /** The table that holds the records; made when it is not there. @default "troupe_records" */
  table?: string;
};

/** Where the connections come from: a server, or a pool that somebody else made and will end. */
export type ConnectionSource = { address: ServerAddress } | { pool: PostgresPool };

/** The options, checked and complete. */
export type PostgresSettings = Required<PostgresOptions>;

/** Checks the options and fills in what they leave open. A wrong or unknown one is `invalid_config`. */
export function readOptions(options: PostgresOptions, source: ConnectionSource): PostgresSettings {
  if (typeof options !== "object" || options === null) throw wrongOption("options", "an object", options);
  const common = ["acquireTimeoutMs", "statementTimeoutMs", "schema", "table"];
  if ("pool" in source) checkOptionNames(options, common, "PostgresStorage with a pool");
  else checkOptionNames(options, ["max", ...common], "PostgresStorage");
  const { max = 10, acquireTimeoutMs = 5000, statementTimeoutMs = 30_000 } = options;
  const { schema = "public", table = "troupe_records" } = options;
  return {
    max: checkCount(max, "max", 1),
    acquireTimeoutMs: checkTimeout(acquireTimeoutMs, "acquireTimeoutMs"),
    statementTimeoutMs: checkTimeout(statementTimeoutMs, "statementTimeoutMs"),
    schema: checkTableName(schema, "schema"),
    table: checkTableName(table, "table"),
  };
}

/** Takes a connection string, or an object with a pool. */
export function readSource(connection: string | { pool: PostgresPool }): ConnectionSource {
  if (typeof connection === "string") return { address: readConnectionString(connection) };
  const pool: Partial<PostgresPool> | undefined = (connection as { pool?: PostgresPool } | null)?.pool;
  if (typeof pool?.connect === "function" && typeof pool.on === "function") return { pool: pool as PostgresPool };
  throw wrongOption("connection", "a connection string, or { pool } with a Pool of pg", connection);
}

/** Without an end neither a call nor a shutdown could be relied on; 0 would mean that to the server. */
function checkTimeout(value: number, option: string): number {
  if (Number.isSafeInteger(value) && value >= 1 && value <= longestMs) return value;
  throw wrongOption(option, `a whole number of milliseconds from 1 to ${longestMs}`, value);
}
