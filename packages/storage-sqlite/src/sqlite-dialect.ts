import type { SqlDialect } from "@troupe-internal/sql-storage";

/** SQLite in kysely's terms. Text is ordered by its bytes unless a collation is named. */
export const sqliteDialect: SqlDialect = {
  dialect: ({ DummyDriver, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler }) => ({
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new SqliteIntrospector(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }),
  columnType: "text",
};
