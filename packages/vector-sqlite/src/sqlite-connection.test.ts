import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { SqliteConnection } from "./sqlite-connection.ts";

function open() {
  const database = new DatabaseSync(":memory:");
  onTestFinished(() => {
    if (database.isOpen) database.close();
  });
  database.exec("create table t (a integer, b text)");
  return { database, prepare: vi.spyOn(database, "prepare"), connection: new SqliteConnection(database) };
}

describe("SqliteConnection", () => {
  it("returns rows as arrays in the order of the columns, and undefined for no row", () => {
    const { connection } = open();
    connection.run("insert into t values (?, ?)", 1, "x");
    connection.run("insert into t values (?, ?)", 2, null);

    expect(connection.rows("select b, a from t order by a")).toEqual([
      ["x", 1],
      [null, 2],
    ]);
    expect(connection.row("select b, a from t where a = ?", 1)).toEqual(["x", 1]);
    expect(connection.row("select a from t where a = ?", 3)).toBeUndefined();
    expect(connection.rows("select a from t where a = ?", 3)).toEqual([]);
  });

  it("prepares each statement once, with other values each time", () => {
    const { connection, prepare } = open();
    for (const a of [1, 2, 3]) connection.run("insert into t (a) values (?)", a);

    expect([1, 2, 3].map((a) => connection.row("select a from t where a = ?", a))).toEqual([[1], [2], [3]]);
    expect(connection.rows("select count(*) from t")).toEqual([[3]]);
    expect(prepare.mock.calls).toEqual([
      ["insert into t (a) values (?)"],
      ["select a from t where a = ?"],
      ["select count(*) from t"],
    ]);
  });

  it("says while a transaction is open", () => {
    const { connection } = open();
    const seen = [connection.isTransaction];
    connection.run("begin");
    seen.push(connection.isTransaction);
    connection.run("commit");

    expect([...seen, connection.isTransaction]).toEqual([false, true, false]);
  });

  it("closes the database, and answers no statement afterwards", () => {
    const { connection, database } = open();
    connection.run("insert into t (a) values (?)", 1);
    connection.close();

    expect(database.isOpen).toBe(false);
    expect(() => connection.run("insert into t (a) values (?)", 1)).toThrow("database is not open");
  });
});
