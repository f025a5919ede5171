import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll } from "vitest";

/** The server that `pnpm test:services` names: empty when it has none, and then what needs one is skipped. */
export const serverUrl = readServerUrl();

function readServerUrl(): string {
  const url = process.env["TROUPE_TEST_POSTGRES_URL"];
  if (url === undefined) throw new Error("These tests need a server: run them with `pnpm test:services`.");
  return url;
}

/** Names schemas that nobody else uses, and drops them when the tests of the file are done. */
export function testSchemas(): () => string {
  const names: string[] = [];
  afterAll(async () => {
    if (names.length > 0) await ask(`drop schema if exists ${names.join(", ")} cascade`);
  });
  return () => {
    const name = `test_${randomUUID().replaceAll("-", "_")}`;
    names.push(name);
    return name;
  };
}

/** Asks a server itself. */
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
