import type { Query } from "@troupe-internal/postgres";
import type { Statements } from "@troupe-internal/sql-storage";
import { describe, expect, it } from "vitest";
import { prepareTable } from "./prepare-table.ts";

/** The schema and the table that a process finds in a database. */
type Found = { readonly schema: boolean; readonly table: boolean };

const createTable = { sql: "create table if not exists", parameters: [] };
const none = { schema: false, table: false };
const schema = { schema: true, table: false };
const both = { schema: true, table: true };

/** Prepares a table, and returns the statements. `found` is what the first look finds, and the one under the lock. */
async function prepare(...found: readonly Found[]): Promise<string[]> {
  const statements: string[] = [];
  const looks = [...found];
  const query = async ({ sql }: { sql: string }) => {
    const isLook = sql.includes("pg_namespace");
    statements.push(isLook ? "look" : sql.replace(/ "?s"?$/, ""));
    return await Promise.resolve(isLook ? [{ ...looks.shift(), encoding: "UTF8" }] : []);
  };
  const name = { schema: "s", table: "t" };
  await prepareTable(query as unknown as Query, { createTable } as unknown as Statements, name);
  return statements;
}

const lock = "select pg_advisory_xact_lock(hashtext('troupe'))";
const begun = ["look", "begin", lock, "look"];
const made = [createTable.sql, "commit"];

describe("the table of a storage", () => {
  it.each<[title: string, found: Found[], statements: string[]]>([
    ["all is there", [both], ["look"]],
    ["nothing is there", [none, none], [...begun, "create schema", ...made]],
    ["the schema is there", [schema, schema], [...begun, ...made]],
    ["another process makes the schema meanwhile", [none, schema], [...begun, ...made]],
    ["another process makes the schema and the table meanwhile", [none, both], [...begun, ...made]],
    ["another process makes the table meanwhile", [schema, both], [...begun, ...made]],
    ["another process removes the schema meanwhile", [schema, none], [...begun, "create schema", ...made]],
  ])("is made with its schema only if that is missing under the lock: %s", async (_, found, statements) => {
    expect(await prepare(...found)).toEqual(statements);
  });
});
