import { describe, expect, it } from "vitest";
import type { Query } from "@troupe-internal/postgres";
import { prepareDatabase } from "./prepare-database.ts";

type Found = { extension: string | null; version: string | null; schema: boolean; table: boolean; encoding: string };

const whole: Found = { extension: "ext", version: "0.8.1", schema: true, table: true, encoding: "UTF8" };
const flat = (sql: string) => sql.trim().replaceAll(/\s+/g, " ");
const names = { schema: "s", table: "t" };

/** Prepares a database that finds these, one after the other, and fails at `create extension` with a code. */
async function prepare(founds: (Partial<Found> | undefined)[], code?: string) {
  const sent: string[] = [];
  const looked: unknown[] = [];
  const query = (async ({ sql, parameters }) => {
    if (flat(sql).startsWith("select extnamespace")) {
      looked.push(parameters);
      const found = founds.length > 1 ? founds.shift() : founds[0];
      return await Promise.resolve(found === undefined ? [] : [{ ...whole, ...found }]);
    }
    sent.push(flat(sql));
    if (code !== undefined && sql === "create extension vector")
      throw Object.assign(new Error("refused"), { code, severity: "ERROR" });
    return [];
  }) as Query;
  const ended = await prepareDatabase(query, names).then(
    (schema) => ({ schema, error: undefined }),
    (error: unknown) => ({ schema: undefined, error }),
  );
  return { ...ended, sent, looked };
}

const lock = "select pg_advisory_xact_lock(hashtext('troupe'))";
const createTable =
  'create table "s"."t" ( id text collate "C" primary key, collection text collate "C" not null, dimensions integer, model text )';

describe("prepareDatabase", () => {
  it("changes nothing where everything exists, and returns the schema of the extension", async () => {
    expect(await prepare([{}])).toEqual({ schema: "ext", error: undefined, sent: [], looked: [["s", "t"]] });
  });

  it.each([
    [
      { extension: null, version: null, schema: false, table: false },
      ["create extension vector", 'create schema "s"', createTable],
    ],
    [{ schema: false, table: false }, ['create schema "s"', createTable]],
    [{ table: false }, [createTable]],
    [{ extension: null, version: null }, ["create extension vector"]],
  ])("creates under a lock what is missing of %j", async (missing, created) => {
    const { schema, sent, looked } = await prepare([missing, missing, {}]);

    expect(sent).toEqual(["begin", lock, ...created, "commit"]);
    expect([schema, looked.length]).toEqual(["ext", 3]);
  });

  it("creates nothing that another process created while it waited for the lock", async () => {
    expect((await prepare([{ extension: null, table: false }, {}])).sent).toEqual(["begin", lock, "commit"]);
  });

  it.each(["0.8.0", "0.8", "0.10.0", "1.0", "1.7.9"])("takes version %s of pgvector", async (version) => {
    expect((await prepare([{ version }])).schema).toBe("ext");
  });

  const createIt = "An administrator must run in this database: CREATE EXTENSION vector;";

  it.each<[Partial<Found> | undefined, string]>([
    [{ encoding: "LATIN1" }, "The database must be encoded in UTF8, got LATIN1. Use another database."],
    [undefined, "The database must be encoded in UTF8, got undefined. Use another database."],
    ...["0.7.4", "0.0.9"].map((version): [Partial<Found>, string] => [
      { version },
      `The database has pgvector ${version}, expected 0.8 or later. Update pgvector on the server. Then an administrator must run in this database: ALTER EXTENSION vector UPDATE;`,
    ]),
    [{ version: null }, `The extension is gone. ${createIt}`],
  ])("refuses %j with its reason", async (found, message) => {
    expect((await prepare([found])).error).toMatchObject({ code: "storage_unavailable", message });
  });

  it.each([
    ["42501", `The role may not create the extension pgvector. ${createIt}`],
    ["0A000", `The server has no pgvector. Install pgvector 0.8 or later there. ${createIt}`],
    ["58P01", `The server has no pgvector. Install pgvector 0.8 or later there. ${createIt}`],
  ])("says for the code %s what an administrator must do", async (code, message) => {
    const { error, sent } = await prepare([{ extension: null }], code);

    expect(error).toMatchObject({ code: "storage_unavailable", message });
    expect(sent).toEqual(["begin", lock, "create extension vector"]);
  });

  it("passes on any other failure as it is", async () => {
    expect((await prepare([{ extension: null }], "57P01")).error).toMatchObject({ message: "refused", code: "57P01" });
  });
});
