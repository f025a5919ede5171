import { createLogger, TroupeError } from "@troupe/core";
import { readOptions } from "@troupe/core/kit";
import { DatabaseVectorStore } from "@troupe/core/vector";
import { readSource } from "@troupe-internal/postgres";
import { openDatabase } from "./open-database.ts";
import { pgVectorOptionTable, poolOptionTable } from "./pg-vector-options.ts";
import type { PgVectorOptions, PgVectorPool } from "./pg-vector-options.ts";

/**
 * A vector store in PostgreSQL with pgvector 0.8 or later, with a table for each collection. Any number of processes
 * may use it at the same time.
 */
export class PgVectorStore extends DatabaseVectorStore {
  /**
   * Accepts `postgres://user:password@host:port/database`, or a `Pool` of `pg`, which `close` leaves open. The first
   * call connects, and creates the extension and the table of collections if they do not exist.
   */
  constructor(connection: string | { pool: PgVectorPool }, options: PgVectorOptions = {}) {
    const source = readSource(connection);
    const { embeddings, dimensions, logger, efSearch, ...read } =
      "pool" in source
        ? readOptions(poolOptionTable, options, { owner: "PgVectorStore with a pool" })
        : readOptions(pgVectorOptionTable, options, { owner: "PgVectorStore" });
    if (read.exact && efSearch !== undefined) {
      throw new TroupeError("invalid_config", "efSearch has no effect on exact searches. Leave out efSearch or exact.");
    }
    const settings = {
      ...read,
      efSearch: efSearch ?? 100,
      logger: logger ?? createLogger({ level: "warn", prefix: "PgVectorStore" }),
    };
    const open = async () => await openDatabase(source, settings);
    super({ name: "The pgvector store", open, searchesText: true, embeddings, dimensions });
  }
}
