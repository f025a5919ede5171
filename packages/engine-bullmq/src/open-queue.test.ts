import pg from "pg";
import { describe, expect, it, vi } from "vitest";
import { oldRedis, refusingPostgres } from "../test/refusing-servers.ts";
import type { RefusingServer } from "../test/refusing-servers.ts";
import { readEngineOptions } from "./bullmq-options.ts";
import type { BullMqEngineOptions } from "./bullmq-options.ts";
import { FailureLog } from "./engine-failure.ts";
import { openQueue } from "./open-queue.ts";

async function open(options: BullMqEngineOptions): Promise<unknown> {
  const { signal } = new AbortController();
  return await openQueue(readEngineOptions(options), { log: new FailureLog(undefined), signal });
}

/** Checks that opening a queue fails, and that no connection stays open, not in a second round either. */
async function expectClosed(server: RefusingServer, options: BullMqEngineOptions, message: RegExp): Promise<void> {
  for (let round = 1; round <= 2; round++) {
    await expect(open(options)).rejects.toThrow(message);
    await vi.waitFor(() => expect(server.open()).toBe(0), { interval: 5, timeout: 20_000 });
    expect(server.opened()).toBeGreaterThanOrEqual(round);
  }
}

describe("a queue that cannot be opened leaves no connection open", () => {
  const password = "pass wörd";

  // Five statements tell which server process is behind which connection. Then the pool sets its search path, and reads
  // the version of the tables.
  it.each([0, 1, 4, 5, 6])("where PostgreSQL refuses what follows %i statements", async (accepted) => {
    const server = await refusingPostgres(accepted, password);
    const user = `postgres://me:${encodeURIComponent(password)}`;
    const options = { connectionString: `${user}@127.0.0.1:${server.port}/db` };
    await expectClosed(server, options, /The server refuses/);
  });

  it("where PostgreSQL refuses the password", async () => {
    const server = await refusingPostgres(0, password);
    const options = { connectionString: `postgres://me:wrong@127.0.0.1:${server.port}/db` };
    await expectClosed(server, options, /The server refuses/);
  });

  it("where Redis is too old", async () => {
    const server = await oldRedis();
    await expectClosed(server, { redis: `redis://127.0.0.1:${server.port}` }, /Redis version/);
  });
});

it("the connections to PostgreSQL have the password of a given pool, which a spread does not copy", async () => {
  const server = await refusingPostgres(6, "s3cret");
  const pool = new pg.Pool({ host: "127.0.0.1", port: server.port, user: "me", database: "db", password: "s3cret" });
  // The statement after the sixth is refused: all connections before it have signed in.
  await expect(open({ pool })).rejects.toMatchObject({ code: "XX000" });
  expect(server.opened()).toBe(3);
  await pool.end();
});
