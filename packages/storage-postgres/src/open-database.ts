import { withTimeout } from "@troupe/core/adapter";
import { compileStatements } from "@troupe-internal/sql-storage";
import { appendStatement } from "./append-statement.ts";
import { Connections } from "./connections.ts";
import { createPool } from "./create-pool.ts";
import { PostgresDatabase } from "./postgres-database.ts";
import { toPostgresFailure } from "./postgres-failure.ts";
import type { ConnectionSource, PostgresSettings } from "./postgres-options.ts";
import type { PostgresPool } from "./postgres-pool.ts";
import { prepareTable, quotedTableName } from "./prepare-table.ts";

/** A server that hangs would never let its connections end. */
const endTimeoutMs = 2000;

/** A pool and a function that releases it. */
type OpenPool = { pool: PostgresPool; end: () => Promise<void> };

/**
 * Connects for `PostgresStorage`, loads the libraries it needs, and creates the table if it does not exist. Releases
 * the pool and throws a `TroupeError` when one of these fails.
 */
export async function openDatabase(source: ConnectionSource, settings: PostgresSettings): Promise<PostgresDatabase> {
  const { schema, table: name } = settings;
  const [statements, { pool, end }] = await Promise.all([
    compileStatements("postgres", { name, schema }),
    openPool(source, settings),
  ]);
  // Idle connections that break report it here; without a listener the event would end the process.
  pool.on("error", ignore);
  const connections = new Connections(pool, settings);
  const append = appendStatement(statements, quotedTableName(settings));
  try {
    await connections.use(async (query) => await prepareTable(query, statements, settings));
    return new PostgresDatabase({ statements, append, connections, end });
  } catch (error) {
    // The caller need not wait for that.
    void end();
    throw toPostgresFailure(error);
  }
}

/** Ends its own pool; leaves a given one as it was. */
async function openPool(source: ConnectionSource, settings: PostgresSettings): Promise<OpenPool> {
  if ("pool" in source) {
    const { pool } = source;
    return { pool, end: async () => void pool.off("error", ignore) };
  }
  const pool = await createPool(source.address, settings);
  const end = async () => await withTimeout(pool.end(), { timeoutMs: endTimeoutMs, onTimeout: ignore }).catch(ignore);
  return { pool, end };
}

function ignore(): void {}
