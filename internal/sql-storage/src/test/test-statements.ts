import { DummyDriver, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from "kysely";
import { compileStatements } from "../compile-statements.ts";
import type { SqlDialect } from "../compile-statements.ts";

/** SQLite's way to write statements. */
export const testDialect: SqlDialect = {
  dialect: () => ({
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new SqliteIntrospector(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }),
  columnType: "text",
};

/** The statements on a table. */
export const testStatements = await compileStatements(testDialect, { name: "records" });
