import { readOptions } from "@troupe/core/kit";
import { DatabaseStorage } from "@troupe/core/storage";
import { readSource } from "@troupe-internal/postgres";
import { openDatabase } from "./open-database.ts";
import { poolOptionTable, postgresOptionTable } from "./postgres-options.ts";
import type { PostgresOptions } from "./postgres-options.ts";
import type { PostgresPool } from "./postgres-pool.ts";

/** Storage in a table of PostgreSQL. Any number of processes may use it at the same time. */
export class PostgresStorage extends DatabaseStorage {
  /**
   * Takes `postgres://user:password@host:port/database`, or a `Pool` of `pg`, which `close` leaves open. The first call
   * connects, and creates the table if it does not exist.
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
   * Calls back when something in the namespace may have changed. Tells at once of the writes of other processes to
   * namespaces that begin with `run-`, by LISTEN and NOTIFY, with one connection beside the pool while there is a listener.
   */
  watch(namespace: string, listener: () => void): () => void {
    return this.watchRecords(namespace, listener);
  }
}
