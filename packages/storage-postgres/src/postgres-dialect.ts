import type { SqlDialect } from "@troupe-internal/sql-storage";

/** PostgreSQL in kysely's terms. A database's own order of text is nearly always that of a language. */
export const postgresDialect: SqlDialect = {
  dialect: ({ DummyDriver, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler }) => ({
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new PostgresIntrospector(database),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }),
  columnType: 'text collate "C"',
};
