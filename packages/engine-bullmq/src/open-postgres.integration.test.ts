import * as bullmq from "bullmq";
import { Pool } from "pg";
import type { ClientBase as PgClient } from "pg";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { freshQueue, job, poolerUrl, postgresUrl, testEngine, Work } from "../test/servers.ts";
import { BullMqEngine } from "./bullmq-engine.ts";
import { readEngineOptions } from "./bullmq-options.ts";
import { openPostgres } from "./open-postgres.ts";

const patience = { timeout: 60_000 };

describe.skipIf(postgresUrl === "")("the connections of BullMqEngine to PostgreSQL", () => {
  it("have the settings of a given pool, and leave its own connections as they are", async () => {
    const pool = testPool({ connectionString: postgresUrl, max: 1, application_name: "the host" });
    const { rows: before } = await pool.query("show search_path");
    const engine = testEngine({ pool });
    const work = new Work();
    await engine.serve(work.perform, { concurrency: 1 });
    await engine.submit(job("a"));
    await vi.waitFor(() => expect(work.started).toEqual(["a"]), patience);

    expect((await pool.query("show search_path")).rows).toEqual(before);
    expect(pool.totalCount).toBe(1);
  });

  it("work for a role that may not create the tables, where they are there", async () => {
    const pool = testPool({ connectionString: postgresUrl });
    const creator = testEngine({ connectionString: postgresUrl });
    await creator.waiting();
    const role = `role_${freshQueue().replaceAll("-", "_")}`;
    for (const statement of [
      `create role ${role} login password 'secret'`,
      `grant usage on schema bullmq to ${role}`,
      `grant select, insert, update, delete on all tables in schema bullmq to ${role}`,
      `grant usage on all sequences in schema bullmq to ${role}`,
    ]) {
      await pool.query(statement);
    }
    onTestFinished(async () => void (await pool.query(`drop owned by ${role}; drop role ${role}`)));
    const url = Object.assign(new URL(postgresUrl), { username: role, password: "secret" });
    const engine = new BullMqEngine({ connectionString: url.href, queue: freshQueue() });
    const work = new Work();
    await engine.serve(work.perform, { concurrency: 1 });
    await engine.submit(job("a"));
    await vi.waitFor(() => expect(work.started).toEqual(["a"]), patience);
    await engine.close();

    await expect(pool.query(`set role ${role}; create schema other`)).rejects.toMatchObject({ code: "42501" });
  });

  it("are closed while they are made, without a failure that ends the process", async () => {
    const unhandled = vi.fn<() => void>();
    process.on("unhandledRejection", unhandled);
    onTestFinished(() => void process.off("unhandledRejection", unhandled));
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    const onConnect = () => close(engine.close());
    const engine = testEngine({ pool: testPool({ connectionString: postgresUrl, onConnect }) });
    const submitted = engine.submit(job("a")).catch((error: unknown) => error);
    await closed;

    expect(await submitted).toMatchObject({ code: "unavailable" });
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).not.toHaveBeenCalled();
  });

  it("may be lost between two statements, without an error that ends the process", async () => {
    const pool = testPool({ connectionString: postgresUrl });
    const onError = vi.fn<(error: unknown) => void>();
    const losing = async (client: PgClient): Promise<number> => {
      const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
      await pool.query("select pg_terminate_backend($1)", [rows[0]?.pid]);
      await vi.waitFor(() => expect(onError).toHaveBeenCalled(), patience);
      return bullmq.LATEST_SCHEMA_VERSION;
    };
    const library = { ...bullmq, assertSchemaCompatibility: losing } as typeof bullmq;
    const backend = await openPostgres(readEngineOptions({ connectionString: postgresUrl }), library, onError);

    expect(await backend.clock?.now()).toBeGreaterThan(0);
    await backend.end();
  });

  it("take a time with a fraction, which PostgreSQL has not", async () => {
    const engine = testEngine({ connectionString: postgresUrl });
    await engine.submit({ ...job("a"), notBefore: Date.now() + 60_000.5 });

    expect(await engine.waiting()).toBe(1);
  });
});

describe.skipIf(poolerUrl === "")("BullMqEngine behind a pooler in transaction mode", () => {
  beforeAll(async () => {
    // More than one connection of the server, which the pooler then lends in turn.
    const pool = new Pool({ connectionString: poolerUrl });
    await Promise.all([1, 2, 3].map(async () => await pool.query("select pg_sleep(0.2)")));
    await pool.end();
  });

  it("refuses its first call, says what is needed, and leaves nothing in the connections of others", async () => {
    const others = testPool({ connectionString: poolerUrl });
    const engine = testEngine({ connectionString: poolerUrl });

    await expect(engine.submit(job("a"))).rejects.toMatchObject({
      code: "invalid_config",
      message: expect.stringMatching(/transaction mode.* Give it the address of PostgreSQL itself, or .* session mode/),
    });
    const found = await Promise.all(Array.from({ length: 8 }, async () => await others.query("show search_path")));
    expect(found.flatMap(({ rows }) => rows)).not.toContainEqual({ search_path: "bullmq" });
  });
});

function testPool(options: object): Pool {
  const pool = new Pool(options);
  onTestFinished(async () => await pool.end());
  return pool;
}
