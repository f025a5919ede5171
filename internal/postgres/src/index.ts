export { inTransaction } from "./connections.ts";
export type { Connections, Query, SqlStatement } from "./connections.ts";
export { createClient, endClient } from "./create-client.ts";
export type { PostgresConnection } from "./create-client.ts";
export { openConnections, readSource } from "./open-connections.ts";
export type { ConnectionSource } from "./open-connections.ts";
export { sqlStateOf, toPostgresFailure } from "./postgres-failure.ts";
export type { PostgresPool } from "./postgres-pool.ts";
