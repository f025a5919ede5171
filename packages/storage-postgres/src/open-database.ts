import { withTimeout } from "@troupe/core/adapter";
import { compileStatements } from "@troupe-internal/sql-storage";
import { appendStatement } from "./append-statement.ts";
import { Connections } from "./connections.ts";
import { createPool } from "./create-pool.ts";
import { PostgresConnection } from "./postgres-connection.ts";
import { postgresDialect } from "./postgres-dialect.ts";
import { toPostgresFailure } from "./postgres-failure.ts";
import type { ConnectionSource, PostgresSettings } from "./postgres-options.ts";
import type { PostgresPool } from "./postgres-pool.ts";
import { prepareTable, quoted } from "./prepare-table.ts";

const goodbyeMs = 2000;

/** A pool, and how we let go of it. */
type HeldPool = { pool: PostgresPool; end: () => Promise<void> };

/** Connects, makes the table when it is not there, and loads what that takes. */
export async function openDatabase(source: ConnectionSource, settings: PostgresSettings): Promise<PostgresConnection> {
  const { schema, table: name } = settings;
  const [common, { pool, end }] = await Promise.all([
    compileStatements(postgresDialect, { name, schema }),
    holdPool(source, settings),
  ]);
  // A connection that breaks while nobody uses it says so here, and without a listener ends the process.
  pool.on("error", ignore);
  const connections = new Connections(pool, settings);
  const statements = { ...common, append: appendStatement(common, quoted(settings)) };
  try {
    await connections.use(async (query) => await prepareTable(query, statements, settings));
    return new PostgresConnection({ statements, connections, end });
  } catch (error) {
    // Whoever called need not wait for the farewell.
    void end();
    throw toPostgresFailure(error);
  }
}

/** Our own pool ends with us; one that somebody else made is left as it was. */
async function holdPool(source: ConnectionSource, settings: PostgresSettings): Promise<HeldPool> {
  if ("pool" in source) {
    const { pool } = source;
    return { pool, end: async () => void pool.off("error", ignore) };
  }
  const pool = await createPool(source.address, settings);
  // A server that no longer answers does not take leave either.
  const end = async () => await withTimeout(pool.end(), { timeoutMs: goodbyeMs, onTimeout: ignore }).catch(ignore);
  return { pool, end };
}

function ignore(): void {}
