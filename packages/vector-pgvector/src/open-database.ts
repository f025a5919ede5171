import { openConnections, toPostgresFailure } from "@troupe-internal/postgres";
import type { ConnectionSource } from "@troupe-internal/postgres";
import { PgVectorDatabase } from "./pg-vector-database.ts";
import type { VectorSettings } from "./pg-vector-options.ts";
import { prepareDatabase } from "./prepare-database.ts";

type ConnectionSettings = { acquireTimeoutMs: number; statementTimeoutMs: number; max?: number };

/**
 * Connects for `PgVectorStore`, imports its libraries, and creates missing parts: the extension, the schema and the
 * table of collections. If the parts cannot be prepared, releases the pool and throws a `TroupeError`.
 */
export async function openDatabase(
  source: ConnectionSource,
  settings: VectorSettings & ConnectionSettings,
): Promise<PgVectorDatabase> {
  const [{ connections, end }, { fromSql, toSql }] = await Promise.all([
    openConnections(source, settings),
    import("pgvector"),
  ]);
  try {
    const extensionSchema = await connections.use(async (query) => await prepareDatabase(query, settings));
    const format = {
      write: (vector: ArrayLike<number>) => toSql(Array.from(vector)) ?? "",
      // Rounds the numbers of a vector to 32-bit floats, which are written with as few digits as distinguish them.
      read: (text: string) => (fromSql(text) as number[]).map(Math.fround),
    };
    return new PgVectorDatabase({ connections, end, format, settings, extensionSchema });
  } catch (error) {
    // The release of the pool is not awaited, so that the caller gets the error at once.
    void end();
    throw toPostgresFailure(error);
  }
}
