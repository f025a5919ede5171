import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll } from "vitest";

/** The address from `pnpm test:services`. Empty when it has no server: the tests that need it are skipped. */
export const serverUrl = readServerUrl("TROUPE_TEST_POSTGRES_URL");

/** The address of a pooler in transaction mode, before another server. */
export const poolerUrl = readServerUrl("TROUPE_TEST_PGBOUNCER_URL");

function readServerUrl(variable: string): string {
  const url = process.env[variable];
  if (url === undefined) throw new Error("These tests need a server: run them with `pnpm test:services`.");
  return url;
}

/** Returns a function that names new schemas, and drops them after the tests of the file. */
export function testSchemas(url = serverUrl): () => string {
  const names: string[] = [];
  afterAll(async () => {
    if (names.length > 0) await ask(`drop schema if exists ${names.join(", ")} cascade`, url);
  });
  return () => {
    const name = `test_${randomUUID().replaceAll("-", "_")}`;
    names.push(name);
    return name;
  };
}

/** Runs a statement on a connection of its own. */
export async function ask(sql: string, url = serverUrl): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql);
    return rows;
  } finally {
    await client.end();
  }
}
