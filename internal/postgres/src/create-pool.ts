import type { Client, Pool } from "pg";
import type { ConnectionLimits } from "./connections.ts";
import type { ServerAddress } from "./read-connection-string.ts";

/**
 * The time limits of PostgreSQL connections, and the largest number of them. A pool that the caller gives has its own
 * number.
 */
export type PoolSettings = ConnectionLimits & { readonly max?: number };

const keepAliveAfterMs = 10_000;

/** Milliseconds added to the timeout of the attempt to connect. By then the call itself has given up. */
const extraTimeoutMs = 1000;

/** Imports `pg` and creates a pool for a server, without connecting. Uses nothing from the environment. */
export async function createPool(address: ServerAddress, settings: PoolSettings): Promise<Pool> {
  const { default: pg } = await import("pg");
  const { host, port, user, password, database, ssl, channelBinding, applicationName } = address;
  return new pg.Pool({
    Client: explicitClient(pg.Client),
    // All fields are set, because pg reads missing or empty fields from the environment or a password file.
    host,
    port,
    user,
    password: () => password,
    database,
    ssl,
    sslnegotiation: "postgres",
    client_encoding: "UTF8",
    application_name: applicationName,
    enableChannelBinding: channelBinding,
    max: settings.max,
    // Idle connections must not keep alive a process that never closes its storage.
    allowExitOnIdle: true,
    connectionTimeoutMillis: settings.acquireTimeoutMs + extraTimeoutMs,
    statement_timeout: settings.statementTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
  });
}

/** Extends pg's client to clear two settings that it reads from the environment even if they are given as empty. */
function explicitClient(Base: typeof Client): typeof Client {
  return class extends Base {
    constructor(config: ConstructorParameters<typeof Client>[0]) {
      super(config);
      const { connectionParameters } = this as unknown as { connectionParameters: Record<string, unknown> };
      connectionParameters["options"] = undefined;
      connectionParameters["replication"] = undefined;
    }
  };
}
