import pg from "pg";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ask, serverUrl, testSchemas } from "../test/test-schemas.ts";
import { PostgresStorage } from "./index.ts";
import type { PostgresOptions } from "./index.ts";

const newSchema = testSchemas();
const patience = { timeout: 10_000 };

/** A storage in use, and its schema. */
async function open(connection: ConstructorParameters<typeof PostgresStorage>[0], options: PostgresOptions = {}) {
  const schema = newSchema();
  const storage = new PostgresStorage(connection, { schema, ...options });
  onTestFinished(async () => await storage.close());
  await storage.set("ns", "k", "old");
  return { storage, schema };
}

/** Locks the table until the returned function is called. */
async function lockTable(schema: string): Promise<() => Promise<void>> {
  const client = new pg.Client(serverUrl);
  await client.connect();
  await client.query(`begin; lock table ${schema}.troupe_records`);
  let isLocked = true;
  const letGo = async (): Promise<void> => {
    if (isLocked) await client.end();
    isLocked = false;
  };
  onTestFinished(letGo);
  return letGo;
}

function openPool(config: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ connectionString: serverUrl, ...config });
  onTestFinished(async () => void (pool.ended || (await pool.end())));
  return pool;
}

/** The connections of the server under this application name. */
const connectionsOf = async (name: string): Promise<unknown[]> =>
  await ask(`select pid from pg_stat_activity where application_name = '${name}'`);

const named = (name: string): string => `${serverUrl}?application_name=${name}`;

describe.skipIf(serverUrl === "")("PostgresStorage's connections", () => {
  it("are waited for until acquireTimeoutMs", async () => {
    const { storage, schema } = await open(serverUrl, { max: 1, acquireTimeoutMs: 1000 });
    const letGo = await lockTable(schema);
    const stuck = storage.get("ns", "k");

    await expect(storage.get("ns", "k")).rejects.toMatchObject({
      code: "storage_unavailable",
      message: "No connection to PostgreSQL became available within 1000 ms. Raise acquireTimeoutMs or max.",
    });
    await letGo();
    expect(await stuck).toBe("old");
    expect(await storage.get("ns", "k")).toBe("old");
  });

  it("are waited for as long with a given pool, and returned to it when they come too late", async () => {
    const pool = openPool({ max: 1 });
    const { storage } = await open({ pool }, { acquireTimeoutMs: 1000 });
    const borrowed = await pool.connect();

    await expect(storage.get("ns", "k")).rejects.toMatchObject({ code: "storage_unavailable" });
    borrowed.release();
    expect(await storage.get("ns", "k")).toBe("old");
  });

  it("are never more than max", async () => {
    const { storage } = await open(named("at_most_three"), { max: 3 });
    await Promise.all(Array.from({ length: 30 }, async () => await storage.get("ns", "k")));

    expect(await connectionsOf("at_most_three")).toHaveLength(3);
  });

  it("stop a statement after statementTimeoutMs, and write nothing", async () => {
    const { storage, schema } = await open(serverUrl, { statementTimeoutMs: 1000 });
    const letGo = await lockTable(schema);

    await expect(storage.set("ns", "k", "new")).rejects.toMatchObject({
      code: "storage_unavailable",
      message: expect.stringContaining("Raise statementTimeoutMs to wait longer"),
    });
    await letGo();
    expect(await storage.get("ns", "k")).toBe("old");
  });

  it("are ended when a statement takes too long on a given pool", async () => {
    const pool = openPool({ max: 1 });
    const { storage, schema } = await open({ pool }, { statementTimeoutMs: 500 });
    const letGo = await lockTable(schema);

    await expect(storage.get("ns", "k")).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(pool.totalCount).toBe(0);
    await letGo();
  });

  it("may be ended by the server while they are idle", async () => {
    const { storage } = await open(named("left_idle"));
    await ask("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'left_idle'");
    await vi.waitFor(async () => expect(await connectionsOf("left_idle")).toEqual([]), patience);

    expect(await storage.get("ns", "k")).toBe("old");
  });

  it("may be ended by the server while they are idle in a given pool without listeners", async () => {
    const pool = openPool({ application_name: "given_idle" });
    const { storage } = await open({ pool });
    const removed = new Promise((resolve) => pool.once("remove", resolve));
    await ask("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'given_idle'");
    await removed;

    expect(await storage.get("ns", "k")).toBe("old");
  });

  it("fail running calls when the server ends them, and are replaced for the next call", async () => {
    const { storage, schema } = await open(named("in_use"));
    const letGo = await lockTable(schema);
    const outcome = Promise.allSettled([storage.set("ns", "k", "new")]);
    const waiting = "select from pg_stat_activity where application_name = 'in_use' and wait_event_type = 'Lock'";
    await vi.waitFor(async () => expect(await ask(waiting)).toHaveLength(1), patience);
    await ask("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'in_use'");

    expect(await outcome).toMatchObject([{ reason: { code: "storage_unavailable" } }]);
    await letGo();
    expect(await storage.get("ns", "k")).toBe("old");
  });

  it("are ended by close, after running calls", async () => {
    const { storage, schema } = await open(named("to_close"));
    const letGo = await lockTable(schema);
    const written = storage.set("ns", "k", "new");
    const closed = Promise.all([storage.close(), storage.close()]);
    await expect(storage.get("ns", "k")).rejects.toMatchObject({ code: "storage_unavailable" });
    await letGo();
    await written;
    await closed;

    expect(await connectionsOf("to_close")).toEqual([]);
    expect(await ask(`select value from ${schema}.troupe_records`)).toEqual([{ value: '"new"' }]);
  });

  it("stay open in a given pool after close", async () => {
    const pool = openPool();
    const { storage } = await open({ pool });
    await storage.close();

    expect(pool.ended).toBe(false);
    expect(pool.listenerCount("error")).toBe(0);
    expect((await pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  });
});
