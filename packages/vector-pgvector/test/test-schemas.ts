import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll } from "vitest";

/** The address from `pnpm test:services`. Empty when it has no server: the tests that need it are skipped. */
export const serverUrl = readServerUrl();

function readServerUrl(): string {
  const url = process.env["TROUPE_TEST_PGVECTOR_URL"];
  if (url === undefined) throw new Error("These tests need a server: run them with `pnpm test:services`.");
  return url;
}

/** Returns a function that names new schemas, and drops them after the tests of the file. */
export function testSchemas(): () => string {
  const names: string[] = [];
  afterAll(async () => {
    for (const name of names) await ask(`drop schema if exists ${name} cascade`);
  });
  return () => {
    const name = `t_${randomUUID().replaceAll("-", "").slice(0, 20)}`;
    names.push(name);
    return name;
  };
}

/** Runs statements on a connection of its own, and returns the rows of the last. */
export async function ask(sql: string, url = serverUrl): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const answer: unknown = await client.query(sql);
    const last = (Array.isArray(answer) ? answer.at(-1) : answer) as { rows: Record<string, unknown>[] } | undefined;
    return last?.rows ?? [];
  } finally {
    await client.end();
  }
}
