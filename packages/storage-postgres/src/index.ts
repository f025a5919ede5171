export type { PostgresOptions } from "./postgres-options.ts";
export type { PostgresClient, PostgresPool } from "./postgres-pool.ts";
export { PostgresStorage } from "./postgres-storage.ts";
