import type { Client, Pool } from "pg";
import type { ConnectionLimits } from "./connections.ts";
import type { ServerAddress } from "./read-connection-string.ts";

/** The limits of connections, and the most connections at the same time; a given pool has its own. */
export type PoolSettings = ConnectionLimits & { readonly max?: number };

const keepAliveAfterMs = 10_000;

/** Added to the timeout of the attempt to connect: the call itself has given up by then. */
const extraTimeoutMs = 1000;

/** Loads `pg` and creates a pool for a server, without connecting. Nothing is taken from the environment. */
export async function createPool(address: ServerAddress, settings: PoolSettings): Promise<Pool> {
  const { default: pg } = await import("pg");
  const { host, port, user, password, database, ssl, channelBinding, applicationName } = address;
  return new pg.Pool({
    Client: explicitClient(pg.Client),
    // Whatever is missing or empty here, pg takes from the environment or a password file.
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
    // A process that forgets to close its storage ends all the same.
    allowExitOnIdle: true,
    connectionTimeoutMillis: settings.acquireTimeoutMs + extraTimeoutMs,
    statement_timeout: settings.statementTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
  });
}

/** Extends the client of pg to clear two settings that it takes from the environment even when they are given as empty. */
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
