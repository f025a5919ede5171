import { readOptions } from "@troupe/core/kit";
import { DatabaseStorage } from "@troupe/core/storage";
import { readSource } from "@troupe-internal/postgres";
import { openDatabase } from "./open-database.ts";
import { poolOptionTable, postgresOptionTable } from "./postgres-options.ts";
import type { PostgresOptions } from "./postgres-options.ts";
import type { PostgresPool } from "./postgres-pool.ts";

/** Storage in a PostgreSQL table. Any number of processes may use it at the same time. */
export class PostgresStorage extends DatabaseStorage {
  /**
   * Accepts `postgres://user:password@host:port/database`, or a `Pool` of `pg`, which `close` leaves open. The first
   * call connects, and creates the table if it does not exist.
   */
  constructor(connection: string | { pool: PostgresPool }, options: PostgresOptions = {}) {
    const source = readSource(connection);
    const settings =
      "pool" in source
        ? readOptions(poolOptionTable, options, { owner: "PostgresStorage with a pool" })
        : readOptions(postgresOptionTable, options, { owner: "PostgresStorage" });
    super({ name: "The PostgreSQL storage", open: async () => await openDatabase(source, settings) });
  }

  /**
   * Calls the listener when something in the namespace may have changed. Writes of other processes to namespaces that
   * begin with `run-` are reported at once, by LISTEN and NOTIFY. That needs one connection beside the pool while there
   * are listeners.
   */
  watch(namespace: string, listener: () => void): () => void {
    return this.watchRecords(namespace, listener);
  }
}
