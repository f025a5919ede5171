import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { TroupeError } from "@troupe/core";
import { compileStatements } from "@troupe-internal/sql-storage";
import { SqliteDatabase } from "./sqlite-database.ts";
import { toSqliteFailure } from "./sqlite-failure.ts";
import type { SqliteSettings } from "./sqlite-options.ts";
import { retryWhileBusy } from "./retry-while-busy.ts";

/**
 * Opens the file of a `SqliteStorage`, and creates it and its table if they do not exist. Loads `node:sqlite` and
 * kysely. Throws a `TroupeError` when the file cannot be used.
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

/** Refuses an existing database in UTF-16, whose bytes sort in another order. */
function checkEncoding(database: DatabaseSync, path: string): void {
  const { encoding } = database.prepare("pragma encoding").get() ?? {};
  if (encoding === "UTF-8") return;
  const sentence = `The SQLite file ${path} must be encoded in UTF-8, got ${String(encoding)}. Use another file.`;
  throw new TroupeError("invalid_config", sentence);
}

/**
 * Returns a check that throws when another file is at the path now, or none. SQLite does not notice that, and what is
 * written to a removed file is lost.
 */
function watchPath(path: string): () => void {
  const opened = identify(path);
  return () => {
    if (identify(path) === opened) return;
    const sentence = `The SQLite file ${path} was moved or removed while it was open. Put it back and restart.`;
    throw new TroupeError("storage_unavailable", sentence);
  };
}

function identify(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}
