import { describe, expect, it } from "vitest";
import { ask, serverUrl, testSchemas } from "../test/test-schemas.ts";
import { PostgresStorage } from "./postgres-storage.ts";

const newSchema = testSchemas();

/** The URL of the server for another role. */
function urlFor(role: string): string {
  return Object.assign(new URL(serverUrl), { username: role, password: "a-password" }).href;
}

describe.skipIf(serverUrl === "")("PostgresStorage's table", () => {
  it("sorts and compares text by bytes in any database", async () => {
    const schema = newSchema();
    const storage = new PostgresStorage(serverUrl, { schema, table: "chats" });
    await storage.get("ns", "k");
    await storage.close();

    const columns = await ask(
      `select column_name, data_type, collation_name, is_nullable from information_schema.columns
       where table_schema = '${schema}' and table_name = 'chats' order by ordinal_position`,
    );
    expect(columns).toEqual(
      ["namespace", "key", "value"].map((column_name) => ({
        column_name,
        data_type: "text",
        collation_name: "C",
        is_nullable: "NO",
      })),
    );
  });

  it("is not changed when it exists", async () => {
    const schema = newSchema();
    await ask(
      `create schema ${schema};
       create table ${schema}.troupe_records (namespace text, key text, value text, since timestamptz default now(),
         constraint mine primary key (namespace, key))`,
    );
    const storage = new PostgresStorage(serverUrl, { schema });
    await storage.set("ns", "k", 1);
    await storage.close();

    expect(await ask(`select value, since is not null as kept from ${schema}.troupe_records`)).toEqual([
      { value: "1", kept: true },
    ]);
  });

  it("needs no right to create anything when it exists", async () => {
    const schema = newSchema();
    const maker = new PostgresStorage(serverUrl, { schema });
    await maker.get("ns", "k");
    await maker.close();
    await ask(
      `create role ${schema} login password 'a-password';
       grant usage on schema ${schema} to ${schema};
       grant select, insert, update, delete on ${schema}.troupe_records to ${schema}`,
    );
    const storage = new PostgresStorage(urlFor(schema), { schema });
    await storage.set("ns", "k", 1);

    expect(await storage.append("ns", "s/", 1)).toEqual({ key: "s/000000000001", seq: 1 });
    await storage.close();
    await ask(`drop owned by ${schema}; drop role ${schema}`);
  });

  it("is named in the error when the role may not create it", async () => {
    const schema = newSchema();
    await ask(`create role ${schema} login password 'a-password'`);
    const storage = new PostgresStorage(urlFor(schema), { schema });

    await expect(storage.get("ns", "k")).rejects.toMatchObject({
      code: "storage_unavailable",
      message: expect.stringContaining("Grant the role the use of the schema and the table, or the right to create"),
    });
    await ask(`create schema ${schema} authorization ${schema}`);
    expect(await storage.get("ns", "k"), "once the role may").toBeNull();
    await storage.close();
    await ask(`drop owned by ${schema}; drop role ${schema}`);
  });

  it("is not created in a database that is not encoded in UTF8", async () => {
    const database = newSchema();
    await ask(`create database ${database} encoding 'SQL_ASCII' lc_collate 'C' lc_ctype 'C' template template0`);
    const storage = new PostgresStorage(Object.assign(new URL(serverUrl), { pathname: `/${database}` }).href);

    await expect(storage.get("ns", "k")).rejects.toMatchObject({
      code: "storage_unavailable",
      message: "The database must be encoded in UTF8, got SQL_ASCII. Use another database.",
    });
    await storage.close();
    await ask(`drop database ${database}`);
  });

  it("holds a corrupt record when a value is not JSON", async () => {
    const schema = newSchema();
    const storage = new PostgresStorage(serverUrl, { schema });
    await storage.set("ns", "k", 1);
    await ask(`update ${schema}.troupe_records set value = '{"half":'`);

    await expect(storage.get("ns", "k")).rejects.toMatchObject({ code: "storage_corrupt" });
    await expect(storage.list("ns")).rejects.toMatchObject({ code: "storage_corrupt" });
    await storage.close();
  });
});
