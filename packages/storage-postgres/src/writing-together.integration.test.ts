import type { Json } from "@troupe/core";
import pg from "pg";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { ask, serverUrl, testSchemas } from "../test/test-schemas.ts";
import { PostgresStorage } from "./postgres-storage.ts";

const newSchema = testSchemas();
let schema: string;
let storage: PostgresStorage;

beforeEach(async () => {
  schema = newSchema();
  storage = new PostgresStorage(serverUrl, { schema });
  onTestFinished(async () => await storage.close());
  await storage.get("ns", "k");
});

/** Another writer with an open transaction. */
async function otherWriter(...statements: string[]): Promise<pg.Client> {
  const client = new pg.Client(serverUrl);
  await client.connect();
  onTestFinished(async () => await client.end());
  await client.query(`set search_path to ${schema}; begin; ${statements.join("; ")}`);
  return client;
}

const insert = (namespace: string, key: string, value: Json): string =>
  `insert into troupe_records values ('${namespace}', '${key}', '${JSON.stringify(value)}')`;
const update = (namespace: string, key: string, value: Json): string =>
  `update troupe_records set value = '${JSON.stringify(value)}' where namespace = '${namespace}' and key = '${key}'`;

/** Resolves when a statement of the storage waits for a lock. */
async function untilWaiting(): Promise<void> {
  const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%${schema}%'`;
  await vi.waitFor(async () => expect(await ask(waiting)).toHaveLength(1), { timeout: 10_000 });
}

describe.skipIf(serverUrl === "")("PostgresStorage with a concurrent writer", () => {
  it("appends nothing when the lease is taken over during the append", async () => {
    await storage.set("locks", "lease", { token: 7 });
    const other = await otherWriter(update("locks", "lease", { token: 8 }));
    const appended = storage.append("ns", "s/", 1, { ifHeld: { key: "lease", token: 7 } });
    const outcome = Promise.allSettled([appended]);
    await untilWaiting();
    await other.query("commit");

    expect(await outcome).toMatchObject([{ reason: { code: "conflict" } }]);
    expect(await storage.list("ns")).toEqual([]);
  });

  it("appends when the lease is renewed during the append", async () => {
    await storage.set("locks", "lease", { token: 7 });
    const other = await otherWriter(update("locks", "lease", { token: 7, until: 2 }));
    const appended = storage.append("ns", "s/", 1, { ifHeld: { key: "lease", token: 7 } });
    await untilWaiting();
    await other.query("commit");

    expect((await appended).seq).toBe(1);
  });

  it("takes the next number when another writer takes the one that it found", async () => {
    const other = await otherWriter(insert("ns", "s/000000000001", "other"));
    const appended = storage.append("ns", "s/", "ours");
    await untilWaiting();
    await other.query("commit");

    expect((await appended).seq).toBe(2);
    expect(await storage.get("ns", "s/000000000001")).toBe("other");
  });

  it("takes a number that another writer rolls back", async () => {
    const other = await otherWriter(insert("ns", "s/000000000001", "other"));
    const appended = storage.append("ns", "s/", "ours");
    await untilWaiting();
    await other.query("rollback");

    expect((await appended).seq).toBe(1);
  });

  it("does not set a record that another writer creates first", async () => {
    const other = await otherWriter(insert("ns", "k", "other"));
    const set = storage.compareAndSet("ns", "k", null, "ours");
    await untilWaiting();
    await other.query("commit");

    expect(await set).toBe(false);
    expect(await storage.get("ns", "k")).toBe("other");
  });

  it.each([["ours"], [null]])("does not set %j when another writer replaces the expected value first", async (next) => {
    await storage.set("ns", "k", "old");
    const other = await otherWriter(update("ns", "k", "other"));
    const set = storage.compareAndSet("ns", "k", "old", next);
    await untilWaiting();
    await other.query("commit");

    expect(await set).toBe(false);
    expect(await storage.get("ns", "k")).toBe("other");
  });

  it("repeats a transaction that the database ends to resolve a deadlock", async () => {
    await storage.transaction(["a", "b"].map((key) => ({ namespace: "ns", key, value: "old" })));
    const other = await otherWriter("set local deadlock_timeout to '1min'", update("ns", "b", "other"));
    const written = storage.transaction(["a", "b"].map((key) => ({ namespace: "ns", key, value: "ours" })));
    await untilWaiting();
    await other.query(update("ns", "a", "other"));
    await other.query("commit");
    await written;

    expect((await storage.list("ns")).map(({ value }) => value)).toEqual(["ours", "ours"]);
  });

  it("writes the records of a transaction in the order of their keys, so that two never deadlock", async () => {
    await storage.transaction(["a", "c"].map((key) => ({ namespace: "ns", key, value: "old" })));
    // Fails before the database would resolve a deadlock.
    const other = await otherWriter("set local lock_timeout to '500ms'", update("ns", "a", "other"));
    const written = storage.transaction(["c", "a"].map((key) => ({ namespace: "ns", key, value: "ours" })));
    await untilWaiting();

    await expect(other.query(update("ns", "c", "other"))).resolves.toBeDefined();
    await other.query("commit");
    await written;
    expect((await storage.list("ns")).map(({ value }) => value)).toEqual(["ours", "ours"]);
  });

  it("appends and compares when the role's transactions are serializable", async () => {
    await ask(
      `create role ${schema} login superuser password 'a-password';
       alter role ${schema} set default_transaction_isolation to 'serializable'`,
    );
    const url = Object.assign(new URL(serverUrl), { username: schema, password: "a-password" });
    const strict = new PostgresStorage(url.href, { schema });
    const appended = await Promise.all(Array.from({ length: 20 }, async () => await strict.append("ns", "s/", 1)));
    const won = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => await strict.compareAndSet("ns", "k", null, index)),
    );
    await strict.close();
    await ask(`drop role ${schema}`);

    expect(appended.map(({ seq }) => seq).toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
    expect(won.filter(Boolean)).toHaveLength(1);
  });
});
