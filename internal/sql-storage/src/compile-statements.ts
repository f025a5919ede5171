import type * as kyselyModule from "kysely";
import type { Dialect, Kysely, OrderByDirection } from "kysely";
import { toStatement } from "./statement.ts";
import type { Statements } from "./statements.ts";

/** A database in kysely's terms. */
export type SqlDialect = {
  /** Kysely's classes for the database. Its driver is never used, for kysely only compiles. */
  dialect: (kysely: typeof kyselyModule) => Dialect;
  /** The type of the columns: text that is ordered by its bytes. */
  columnType: string;
};

/** Where the records are. Without a schema it is the one in which the database looks first. */
export type SqlTable = { name: string; schema?: string };

/** A value is JSON text. */
type RecordTable = { namespace: string; key: string; value: string };
type Compiler = { kysely: typeof kyselyModule; db: Kysely<Record<string, RecordTable>>; table: string };

/** Loads kysely and compiles the statements on a table. */
export async function compileStatements({ dialect, columnType }: SqlDialect, table: SqlTable): Promise<Statements> {
  const kysely = await import("kysely");
  const db = new kysely.Kysely<Record<string, RecordTable>>({ dialect: dialect(kysely) });
  const compiler = {
    kysely,
    db: table.schema === undefined ? db : db.withSchema(table.schema),
    table: table.name,
  };
  return {
    createTable: createTable(compiler, columnType),
    ...reads(compiler),
    ...writes(compiler),
    ...swaps(compiler),
  };
}

function createTable({ kysely: { sql }, db, table }: Compiler, columnType: string): Statements["createTable"] {
  const type = sql`${sql.raw(columnType)}`;
  return toStatement(
    db.schema
      .createTable(table)
      .ifNotExists()
      .addColumn("namespace", type, (column) => column.notNull())
      .addColumn("key", type, (column) => column.notNull())
      .addColumn("value", type, (column) => column.notNull())
      .addPrimaryKeyConstraint(`${table}_pkey`, ["namespace", "key"]),
  );
}

function reads({
  kysely: { sql },
  db,
  table,
}: Compiler): Pick<Statements, "read" | "list" | "listDown" | "lastNumbered"> {
  const inNamespace = db.selectFrom(table).where("namespace", "=", "namespace");
  const inRange = inNamespace.where("key", ">=", "from").where("key", "<", "to");
  const list = (direction: OrderByDirection) =>
    inRange
      .select(["key", "value"])
      .orderBy("key", direction)
      .limit(sql<number>`${"limit"}`);
  const isNumbered = sql<boolean>`length("key") = ${"length"} and ltrim(substr("key", ${"digitsAt"}), '0123456789') = ''`;
  return {
    read: toStatement(inNamespace.where("key", "=", "key").select("value")),
    list: toStatement(list("asc")),
    listDown: toStatement(list("desc")),
    lastNumbered: toStatement(inRange.where(isNumbered).select("key").orderBy("key", "desc").limit(sql.lit(1))),
  };
}

function writes({ db, table }: Compiler): Pick<Statements, "put" | "insert" | "remove"> {
  const record = db.insertInto(table).values({ namespace: "namespace", key: "key", value: "value" });
  const put = record.onConflict((conflict) =>
    conflict.columns(["namespace", "key"]).doUpdateSet({ value: (row) => row.ref("excluded.value") }),
  );
  const insert = record.onConflict((conflict) => conflict.columns(["namespace", "key"]).doNothing()).returning("key");
  const remove = db.deleteFrom(table).where("namespace", "=", "namespace").where("key", "=", "key");
  return { put: toStatement(put), insert: toStatement(insert), remove: toStatement(remove) };
}

function swaps({ db, table }: Compiler): Pick<Statements, "replace" | "removeOld"> {
  const replace = db.updateTable(table).set({ value: "value" });
  const remove = db.deleteFrom(table);
  const isOld = { namespace: "namespace", key: "key", value: "old" };
  return {
    replace: toStatement(replace.where((row) => row.and(isOld)).returning("key")),
    removeOld: toStatement(remove.where((row) => row.and(isOld)).returning("key")),
  };
}
