import { openConnections, toPostgresFailure } from "@troupe-internal/postgres";
import type { ConnectionSource } from "@troupe-internal/postgres";
import { PgVectorDatabase } from "./pg-vector-database.ts";
import type { VectorSettings } from "./pg-vector-options.ts";
import { prepareDatabase } from "./prepare-database.ts";

type ConnectionSettings = { acquireTimeoutMs: number; statementTimeoutMs: number; max?: number };

/**
 * Connects for `PgVectorStore`, loads the libraries it needs, and creates the extension, the schema and the table of
 * collections where they do not exist. Releases the pool and throws a `TroupeError` when one of these fails.
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
      // Written in as few digits as tell 32-bit floats apart.
      read: (text: string) => (fromSql(text) as number[]).map(Math.fround),
    };
    return new PgVectorDatabase({ connections, end, format, settings, extensionSchema });
  } catch (error) {
    // The caller need not wait for that.
    void end();
    throw toPostgresFailure(error);
  }
}
