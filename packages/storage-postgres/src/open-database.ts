import { openConnections, toPostgresFailure } from "@troupe-internal/postgres";
import type { ConnectionSource } from "@troupe-internal/postgres";
import { compileStatements } from "@troupe-internal/sql-storage";
import { appendStatement } from "./append-statement.ts";
import { batchStatements } from "./batch-statements.ts";
import { ChangeNotifier, channelOf } from "./change-notifier.ts";
import { listenerOf } from "./change-listener.ts";
import { PostgresDatabase } from "./postgres-database.ts";
import type { PostgresSettings } from "./postgres-options.ts";
import { prepareTable, quotedTableName } from "./prepare-table.ts";

/**
 * Connects for `PostgresStorage`, imports its libraries, and creates the table if it does not exist. If the table
 * cannot be prepared, releases the pool and throws a `TroupeError`.
 */
export async function openDatabase(source: ConnectionSource, settings: PostgresSettings): Promise<PostgresDatabase> {
  const { schema, table: name } = settings;
  const [statements, { pool, connections, end }] = await Promise.all([
    compileStatements("postgres", { name, schema }),
    openConnections(source, settings),
  ]);
  const table = quotedTableName(settings);
  const [append, batches] = [appendStatement(statements, table), batchStatements(table)];
  const channel = channelOf(table);
  try {
    await connections.use(async (query) => await prepareTable(query, statements, settings));
    return new PostgresDatabase({
      statements,
      append,
      batches,
      connections,
      notifier: new ChangeNotifier(connections, channel),
      listen: (onChange) => listenerOf(pool, connections).add(channel, onChange),
      end,
    });
  } catch (error) {
    // The release of the pool is not awaited, so that the caller gets the error at once.
    void end();
    throw toPostgresFailure(error);
  }
}
