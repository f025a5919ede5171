import type { DatabaseSync } from "node:sqlite";
import { checkEncoding, createPrivateFile, retryWhileBusy, toSqliteFailure, watchPath } from "@troupe-internal/sqlite";
import { compileStatements } from "@troupe-internal/sql-storage";
import { SqliteDatabase } from "./sqlite-database.ts";
import type { SqliteSettings } from "./sqlite-options.ts";

/**
 * Opens the file of a `SqliteStorage`. Creates the file and its table if they do not exist. Imports `node:sqlite` and
 * kysely. Throws a `TroupeError` if the file cannot be used.
 */
export async function openFile(path: string, settings: SqliteSettings): Promise<SqliteDatabase> {
  const { durability, busyTimeoutMs, table } = settings;
  const [{ DatabaseSync }, statements] = await Promise.all([
    import("node:sqlite"),
    compileStatements("sqlite", { name: table }),
  ]);
  const prepare = (database: DatabaseSync): void => {
    checkEncoding(database, path);
    database.exec("pragma journal_mode = wal");
    database.exec(`pragma synchronous = ${durability}`);
    database.exec(statements.createTable.sql);
  };
  try {
    createPrivateFile(path);
    const database = await retryWhileBusy(busyTimeoutMs, () => openWith(() => new DatabaseSync(path), prepare));
    return new SqliteDatabase({ database, statements, path, busyTimeoutMs, checkPath: watchPath(path) });
  } catch (error) {
    throw toSqliteFailure(error, path);
  }
}

function openWith(open: () => DatabaseSync, prepare: (database: DatabaseSync) => void): DatabaseSync {
  const database = open();
  try {
    prepare(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
