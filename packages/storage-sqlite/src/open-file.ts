import type { DatabaseSync } from "node:sqlite";
import { TroupeError } from "@troupe/core";
import { compileStatements } from "@troupe-internal/sql-storage";
import { SqliteConnection } from "./sqlite-connection.ts";
import { sqliteDialect } from "./sqlite-dialect.ts";
import { toSqliteFailure } from "./sqlite-failure.ts";
import type { SqliteSettings } from "./sqlite-options.ts";
import { watchPlace } from "./watch-place.ts";
import { whenFree } from "./when-free.ts";

/** Opens the file, makes it and its table when they are not there, and loads what that takes. */
export async function openFile(
  file: string,
  { durability, busyTimeoutMs, table }: SqliteSettings,
): Promise<SqliteConnection> {
  const [{ DatabaseSync }, statements] = await Promise.all([
    import("node:sqlite"),
    compileStatements(sqliteDialect, { name: table }),
  ]);
  const prepare = (database: DatabaseSync): void => {
    checkEncoding(database, file);
    database.exec("pragma journal_mode = wal");
    database.exec(`pragma synchronous = ${durability}`);
    database.exec(statements.createTable({}).sql);
  };
  try {
    const database = await whenFree(busyTimeoutMs, () => openWith(() => new DatabaseSync(file), prepare));
    return new SqliteConnection({ database, statements, file, busyTimeoutMs, checkPlace: watchPlace(file) });
  } catch (error) {
    throw toSqliteFailure(error, file);
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

/** Somebody else's database may be in UTF-16, whose bytes are in another order. */
function checkEncoding(database: DatabaseSync, file: string): void {
  const { encoding } = database.prepare("pragma encoding").get() ?? {};
  if (encoding === "UTF-8") return;
  throw new TroupeError(
    "invalid_config",
    `The SQLite file ${file} holds text as ${String(encoding)}: name one in UTF-8.`,
  );
}
