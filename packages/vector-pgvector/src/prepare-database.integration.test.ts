import { describe, expect, it, onTestFinished } from "vitest";
import { ask, serverUrl, testSchemas } from "../test/test-schemas.ts";
import { PgVectorStore } from "./index.ts";

const newSchema = testSchemas();

/** Creates a database without the extension, which a new role owns if it is named, and returns the URL for that role. */
async function createDatabase({ role, encoding = "encoding 'UTF8'" }: { role?: string; encoding?: string } = {}) {
  const name = newSchema();
  if (role !== undefined) await ask(`create role ${role} login password 'a-password'`);
  await ask(`create database ${name} ${encoding} template template0`);
  if (role !== undefined) await ask(`alter database ${name} owner to ${role}`);
  onTestFinished(async () => {
    await ask(`drop database ${name} with (force)`);
    if (role !== undefined) await ask(`drop role ${role}`);
  });
  const url = (user?: string) =>
    Object.assign(new URL(serverUrl), { pathname: `/${name}`, ...(user && { username: user, password: "a-password" }) })
      .href;
  return { admin: url(), url: url(role) };
}

function open(url: string, options: ConstructorParameters<typeof PgVectorStore>[1] = {}): PgVectorStore {
  const store = new PgVectorStore(url, options);
  onTestFinished(async () => await store.close());
  return store;
}

const document = { id: "a", content: "text", embedding: [1, 0] };

describe.skipIf(serverUrl === "")("PgVectorStore's database", () => {
  it("gets the extension, the schema and the tables [pgvector.extension]", async () => {
    const { admin } = await createDatabase();
    await open(admin, { schema: "mine", table: "notes" }).upsert(document);

    expect(await ask("select extname from pg_extension where extname = 'vector'", admin)).toHaveLength(1);
    const columns = await ask(
      "select column_name, collation_name from information_schema.columns where table_name = 'notes'",
      admin,
    );
    expect(columns.map(({ column_name: name }) => name)).toEqual(["id", "collection", "dimensions", "model"]);
  });

  it("tells an administrator which statement to run where the role may not create the extension [pgvector.extension]", async () => {
    const { url, admin } = await createDatabase({ role: newSchema() });
    const store = open(url);

    await expect(store.initialize()).rejects.toMatchObject({
      code: "storage_unavailable",
      message:
        "The role may not create the extension pgvector. An administrator must run in this database: CREATE EXTENSION vector;",
    });
    await ask("create extension vector", admin);
    await store.upsert(document);
    expect((await store.search([1, 0])).length, "once it is there").toBe(1);
  });

  it("is refused with pgvector before 0.8 [pgvector.extension]", async () => {
    const { admin } = await createDatabase();
    await ask("create extension vector; update pg_extension set extversion = '0.7.4' where extname = 'vector'", admin);
    const store = open(admin);

    await expect(store.search([1, 0])).rejects.toMatchObject({
      code: "storage_unavailable",
      message: expect.stringMatching(/has pgvector 0\.7\.4, expected 0\.8 or later.*ALTER EXTENSION vector UPDATE;$/),
    });
    await ask("update pg_extension set extversion = '0.10.0' where extname = 'vector'", admin);
    expect(await store.search([1, 0]), "0.10 is later").toEqual([]);
  });

  it("may have the extension in any schema, with any search path", async () => {
    const { admin } = await createDatabase();
    const strange = 'Ext "x"';
    await ask(`create schema "Ext ""x"""; create extension vector schema "Ext ""x"""; create schema only_this`, admin);
    const name = new URL(admin).pathname.slice(1);
    await ask(`alter database ${name} set search_path = only_this`, admin);
    const store = open(admin, { schema: "mine" });
    await store.upsert(document);
    await store.collection("long").upsert({ id: "a", content: "", embedding: Array.from({ length: 2001 }, () => 1) });

    expect(await ask("select nspname from pg_namespace where nspname like 'Ext%'", admin)).toEqual([
      { nspname: strange },
    ]);
    expect(await store.get("a")).toEqual(document);
    expect(await store.search([1, 0])).toHaveLength(1);
  });

  it("is not changed when everything exists, by a role that may create nothing else", async () => {
    const role = newSchema();
    const { url, admin } = await createDatabase({ role });
    const maker = open(admin, { schema: "mine" });
    await maker.upsert(document);
    await ask(
      `revoke create on database ${new URL(admin).pathname.slice(1)} from ${role};
       grant usage on schema mine to ${role};
       grant select, insert, update, delete on all tables in schema mine to ${role}`,
      admin,
    );
    const store = open(url, { schema: "mine" });
    await store.upsert({ ...document, id: "b" });

    expect(await store.search([1, 0])).toHaveLength(2);
    await expect(store.collection("new").upsert(document)).rejects.toMatchObject({
      code: "storage_unavailable",
      message: expect.stringContaining(
        "Grant the role the use of the schema and the table, or the right to create them",
      ),
    });
    expect(await ask("select collection from mine.troupe_vectors", admin)).toEqual([{ collection: "" }]);
    await ask(`reassign owned by ${role} to current_user; drop owned by ${role}`, admin);
  });

  it("is refused when it is not encoded in UTF8", async () => {
    const { admin } = await createDatabase({ encoding: "encoding 'SQL_ASCII' lc_collate 'C' lc_ctype 'C'" });

    await expect(open(admin).initialize()).rejects.toMatchObject({
      code: "storage_unavailable",
      message: "The database must be encoded in UTF8, got SQL_ASCII. Use another database.",
    });
  });
});
