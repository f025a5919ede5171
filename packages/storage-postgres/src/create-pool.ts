import type { Client, Pool } from "pg";
import type { PostgresSettings } from "./postgres-options.ts";
import type { ServerAddress } from "./read-connection-string.ts";

const keepAliveAfterMs = 10_000;

/** Whoever waits has given up by then; what remains is the attempt itself. */
const lateMs = 1000;

/** Makes a pool for a server, and loads the library when this is the first. Nothing is connected yet. */
export async function createPool(address: ServerAddress, settings: PostgresSettings): Promise<Pool> {
  const { default: pg } = await import("pg");
  const { host, port, user, password, database, ssl, channelBinding, applicationName } = address;
  return new pg.Pool({
    Client: explicitClient(pg.Client),
    // What is not said here, or is empty, the library looks for in the environment and in a file of passwords.
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
    connectionTimeoutMillis: settings.acquireTimeoutMs + lateMs,
    statement_timeout: settings.statementTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
  });
}

/** The library's client without the two settings that it takes from the environment and that cannot be said to be empty. */
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
