import { withTimeout, wrongOption } from "@troupe/core/kit";
import { Connections } from "./connections.ts";
import { createPool } from "./create-pool.ts";
import type { PoolSettings } from "./create-pool.ts";
import type { PostgresPool } from "./postgres-pool.ts";
import { readConnectionString } from "./read-connection-string.ts";
import type { ServerAddress } from "./read-connection-string.ts";

/**
 * A PostgreSQL server to connect to, or a pool of the caller: the parsed first argument of `PostgresStorage` or
 * `PgVectorStore`.
 */
export type ConnectionSource = { address: ServerAddress } | { pool: PostgresPool };

/** Milliseconds to wait until a pool has ended, because a server that hangs would never let its connections end. */
const endTimeoutMs = 2000;

/** A PostgreSQL pool, its connections, and the function that releases the pool. */
export type OpenConnections = { pool: PostgresPool; connections: Connections; end: () => Promise<void> };

/**
 * Reads the first argument of `PostgresStorage` or `PgVectorStore`: parses a connection string, or takes the pool of an
 * object. Throws `invalid_config` for any other value.
 */
export function readSource(connection: string | { pool: PostgresPool }): ConnectionSource {
  if (typeof connection === "string") return { address: readConnectionString(connection) };
  const pool: Partial<PostgresPool> | undefined = (connection as { pool?: PostgresPool } | null)?.pool;
  if (typeof pool?.connect === "function" && typeof pool.on === "function") return { pool: pool as PostgresPool };
  throw wrongOption("connection", "a connection string, or { pool } with a Pool of pg", connection);
}

/** Creates a pool for a server, which `end` closes, or uses the given pool, which `end` leaves unchanged. */
export async function openConnections(source: ConnectionSource, settings: PoolSettings): Promise<OpenConnections> {
  const { pool, end } = await openPool(source, settings);
  // A pool reports broken idle connections as `error` events; without a listener the event would crash the process.
  pool.on("error", ignore);
  return { pool, connections: new Connections(pool, settings), end };
}

async function openPool(
  source: ConnectionSource,
  settings: PoolSettings,
): Promise<{ pool: PostgresPool; end: () => Promise<void> }> {
  if ("pool" in source) {
    const { pool } = source;
    return { pool, end: async () => void pool.off("error", ignore) };
  }
  const pool = await createPool(source.address, settings);
  const end = async () => await withTimeout(pool.end(), { timeoutMs: endTimeoutMs, onTimeout: ignore }).catch(ignore);
  return { pool, end };
}

function ignore(): void {}
