import type { AppendRequest, RangeQuery, RecordCompareAndSet, RecordWrite } from "@troupe/core/storage";
import type * as kyselyModule from "kysely";
import type { Compilable, Dialect, Kysely, OrderByDirection } from "kysely";
import { numberedKeyRange } from "./numbered-keys.ts";
import type { SqlTable } from "./sql-table.ts";

/** SQL text and the values of its parameters, in the order of their positions, ready for a database driver. */
export type SqlCall = { readonly sql: string; readonly parameters: readonly (string | number)[] };

/** A row that one of the `Statements` returns. Each statement selects other columns, so either may be missing. */
export type SqlRow = { readonly key?: string; readonly value?: unknown };

/**
 * The SQL of all operations of a storage on its table of records (namespace, key, value). Each function fills in a
 * compiled statement; the storage runs it.
 */
export type Statements = {
  readonly createTable: SqlCall;
  /** Selects the value of a record. */
  readonly read: (record: { namespace: string; key: string }) => SqlCall;
  readonly write: (write: RecordWrite) => SqlCall;
  /**
   * Writes or removes a record if its value is the expected value; `null` stands for no record. Returns a row if it
   * changed the table.
   */
  readonly swap: (swap: RecordCompareAndSet) => SqlCall;
  /** Selects the keys and values of the records in a range of keys. */
  readonly list: (range: RangeQuery) => SqlCall;
  /** Selects the key that consists of the prefix and the highest sequence number. */
  readonly lastNumbered: (place: Pick<AppendRequest, "namespace" | "keyPrefix">) => SqlCall;
};

/**
 * The dialects by which kysely compiles for a database, with a driver that does nothing. Columns are ordered by bytes.
 */
const databases = {
  sqlite: {
    columnType: "text",
    dialect: (kysely: typeof kyselyModule): Dialect => ({
      createAdapter: () => new kysely.SqliteAdapter(),
      createDriver: () => new kysely.DummyDriver(),
      createIntrospector: (db) => new kysely.SqliteIntrospector(db),
      createQueryCompiler: () => new kysely.SqliteQueryCompiler(),
    }),
  },
  postgres: {
    columnType: 'text collate "C"',
    dialect: (kysely: typeof kyselyModule): Dialect => ({
      createAdapter: () => new kysely.PostgresAdapter(),
      createDriver: () => new kysely.DummyDriver(),
      createIntrospector: (db) => new kysely.PostgresIntrospector(db),
      createQueryCompiler: () => new kysely.PostgresQueryCompiler(),
    }),
  },
};

type Compiler = { kysely: typeof kyselyModule; db: Kysely<Record<string, Required<Columns>>>; table: string };
type Columns = { namespace: string; key: string; value: string };

/**
 * Imports kysely and compiles the statements on a table of SQLite or PostgreSQL, once per storage. Kysely does not run
 * them: docs/decisions/0017 explains why.
 */
export async function compileStatements(
  database: keyof typeof databases,
  { name: table, schema }: SqlTable,
): Promise<Statements> {
  const kysely = await import("kysely");
  const { dialect, columnType } = databases[database];
  const db = new kysely.Kysely<Record<string, Columns>>({ dialect: dialect(kysely) });
  const compiler = { kysely, db: schema === undefined ? db : db.withSchema(schema), table };
  return {
    createTable: createTable(compiler, columnType),
    ...compileReads(compiler),
    write: compileWrite(compiler),
    swap: compileSwap(compiler),
  };
}

function createTable({ kysely: { sql }, db, table }: Compiler, columnType: string): SqlCall {
  const type = sql`${sql.raw(columnType)}`;
  const { sql: text } = db.schema
    .createTable(table)
    .ifNotExists()
    .addColumn("namespace", type, (column) => column.notNull())
    .addColumn("key", type, (column) => column.notNull())
    .addColumn("value", type, (column) => column.notNull())
    .addPrimaryKeyConstraint(`${table}_pkey`, ["namespace", "key"])
    .compile();
  return { sql: text, parameters: [] };
}

function compileReads({ kysely: { sql }, db, table }: Compiler): Pick<Statements, "read" | "list" | "lastNumbered"> {
  const inNamespace = db.selectFrom(table).where("namespace", "=", "namespace");
  const inRange = inNamespace.where("key", ">=", "from").where("key", "<", "to");
  const list = (direction: OrderByDirection) =>
    toStatement<Exclude<keyof RangeQuery, "reverse">>(
      inRange
        .select(["key", "value"])
        .orderBy("key", direction)
        .limit(sql<number>`${"limit"}`),
    );
  const [ascending, descending] = [list("asc"), list("desc")];
  const isNumbered = sql<boolean>`length("key") = ${"length"} and ltrim(substr("key", ${"digitsAt"}), '0123456789') = ''`;
  const last = inRange.where(isNumbered).select("key").orderBy("key", "desc").limit(sql.lit(1));
  const lastNumbered = toStatement<"namespace" | keyof ReturnType<typeof numberedKeyRange>>(last);
  return {
    read: toStatement<"namespace" | "key">(inNamespace.where("key", "=", "key").select("value")),
    list: ({ reverse, limit = Number.MAX_SAFE_INTEGER, ...range }) =>
      (reverse ? descending : ascending)({ ...range, limit }),
    lastNumbered: ({ namespace, keyPrefix }) => lastNumbered({ namespace, ...numberedKeyRange(keyPrefix) }),
  };
}

function compileWrite({ db, table }: Compiler): Statements["write"] {
  const record = db.insertInto(table).values({ namespace: "namespace", key: "key", value: "text" });
  const upsert = toStatement<keyof RecordWrite>(
    record.onConflict((conflict) =>
      conflict.columns(["namespace", "key"]).doUpdateSet({ value: (row) => row.ref("excluded.value") }),
    ),
  );
  const remove = toStatement<"namespace" | "key">(
    db.deleteFrom(table).where("namespace", "=", "namespace").where("key", "=", "key"),
  );
  return ({ namespace, key, text }) => (text === null ? remove({ namespace, key }) : upsert({ namespace, key, text }));
}

function compileSwap({ db, table }: Compiler): Statements["swap"] {
  const insertion = db.insertInto(table).values({ namespace: "namespace", key: "key", value: "next" });
  const insert = toStatement<"namespace" | "key" | "next">(
    insertion.onConflict((conflict) => conflict.columns(["namespace", "key"]).doNothing()).returning("key"),
  );
  const record = { namespace: "namespace", key: "key", value: "expected" };
  const replace = toStatement<keyof RecordCompareAndSet>(
    db
      .updateTable(table)
      .set({ value: "next" })
      .where((row) => row.and(record))
      .returning("key"),
  );
  const remove = toStatement<"namespace" | "key" | "expected">(
    db
      .deleteFrom(table)
      .where((row) => row.and(record))
      .returning("key"),
  );
  return ({ namespace, key, expected, next }) => {
    if (next === null) return remove({ namespace, key, expected: expected ?? "" });
    return expected === null ? insert({ namespace, key, next }) : replace({ namespace, key, expected, next });
  };
}

/** A compiled statement that takes its parameters by name. */
type Statement<Name extends string> = (values: Readonly<Record<Name, string | number>>) => SqlCall;

/**
 * Compiles a query that was built with parameter names instead of values. A call then only replaces the names by the
 * values.
 */
function toStatement<Name extends string>(query: Compilable): Statement<Name> {
  const { sql, parameters } = query.compile();
  const names = parameters as readonly Name[];
  return (values) => ({ sql, parameters: names.map((name) => values[name]) });
}
