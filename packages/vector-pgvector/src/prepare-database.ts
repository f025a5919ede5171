import { TroupeError } from "@troupe/core";
import { sqlStateOf } from "@troupe-internal/postgres";
import type { Query } from "@troupe-internal/postgres";
import type { VectorSettings } from "./pg-vector-options.ts";

type Found = { extension: string | null; version: string | null; schema: boolean; table: boolean; encoding: string };

// The query reads the catalog tables: functions like to_regclass may answer from a cache that is older than the lock.
const look = `
  select extnamespace::regnamespace::text as extension, extversion as version,
    exists (select from pg_namespace where nspname = $1) as schema,
    exists (select from pg_tables where schemaname = $1 and tablename = $2) as table,
    current_setting('server_encoding') as encoding
  from (select) as one left join pg_extension on extname = 'vector'`;

/**
 * Creates the extension, the schema and the table of collections if they do not exist. Returns the quoted schema of the
 * extension. If they exist, runs no statement that creates anything, so that a role without that right can use the
 * tables. If several processes start at the same time, one process creates them and the others wait.
 */
export async function prepareDatabase(
  query: Query,
  { schema, table }: Pick<VectorSettings, "schema" | "table">,
): Promise<string> {
  const find = async () => (await query<Found>({ sql: look, parameters: [schema, table] }))[0];
  const found = await find();
  if (found?.encoding !== "UTF8") throw wrongEncoding(found?.encoding);
  if (found.extension !== null && found.table) return checkVersion(found);
  await query(plain("begin"));
  await query(plain("select pg_advisory_xact_lock(hashtext('troupe'))"));
  await createMissing(query, await find(), { schema, table });
  await query(plain("commit"));
  return checkVersion(await find());
}

/**
 * Creates the extension, schema and table that are missing. They are checked first, because even "if not exists"
 * requires the right to create.
 */
async function createMissing(
  query: Query,
  found: Found | undefined,
  { schema, table }: Pick<VectorSettings, "schema" | "table">,
): Promise<void> {
  if (found?.extension === null) await createExtension(query);
  if (found?.schema === false) await query(plain(`create schema "${schema}"`));
  if (found?.table === false) await query(plain(createCatalog(`"${schema}"."${table}"`)));
}

function createCatalog(name: string): string {
  // The key of a collection is a hash, because the name of a collection may be too long for an index.
  return `create table ${name} (
    id text collate "C" primary key,
    collection text collate "C" not null,
    dimensions integer,
    model text
  )`;
}

async function createExtension(query: Query): Promise<void> {
  try {
    await query(plain("create extension vector"));
  } catch (error) {
    const state = sqlStateOf(error);
    if (state === "42501") throw unavailable("The role may not create the extension pgvector", createIt);
    // The extension is not installed on the server. Older servers report this with the second code.
    if (state === "0A000" || state === "58P01") {
      throw unavailable("The server has no pgvector", `Install pgvector 0.8 or later there. ${createIt}`);
    }
    throw error;
  }
}

const createIt = "An administrator must run in this database: CREATE EXTENSION vector;";

function checkVersion(found: Found | undefined): string {
  const { extension, version } = found ?? {};
  if (typeof extension !== "string" || typeof version !== "string")
    throw unavailable("The extension is gone", createIt);
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > 0 || minor >= 8) return extension;
  throw unavailable(
    `The database has pgvector ${version}, expected 0.8 or later`,
    "Update pgvector on the server. Then an administrator must run in this database: ALTER EXTENSION vector UPDATE;",
  );
}

function wrongEncoding(encoding: unknown): TroupeError {
  return unavailable(`The database must be encoded in UTF8, got ${String(encoding)}`, "Use another database.");
}

function unavailable(problem: string, mend: string): TroupeError {
  return new TroupeError("storage_unavailable", `${problem}. ${mend}`);
}

function plain(sql: string): { sql: string; parameters: [] } {
  return { sql, parameters: [] };
}
