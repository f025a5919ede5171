import { TcpProxy, TestChild } from "@troupe-internal/fault-tools";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { RecordingPool } from "../test/recording-pool.ts";
import { ask, serverUrl, testSchemas } from "../test/test-schemas.ts";
import { PgVectorStore } from "./index.ts";
import type { PgVectorOptions } from "./index.ts";

const newSchema = testSchemas();
const file = new URL("../test/store-child.ts", import.meta.url);

function open(options: PgVectorOptions = {}, url = serverUrl) {
  const schema = newSchema();
  const store = new PgVectorStore(url, { schema, ...options });
  onTestFinished(async () => await store.close());
  return { store, schema };
}

/** A document with a vector of two numbers. */
const at = (id: string, n = 0) => ({ id, content: "text", embedding: [1, n], metadata: { n } });

/** Starts a process for each length, lets all of them store at the same time, and returns what each said. */
async function storeFrom(lengths: readonly number[], schema: string): Promise<string[]> {
  const children = await Promise.all(
    lengths.map(async (length) => {
      const child = await TestChild.start(file, { args: [serverUrl, schema, String(length)] });
      onTestFinished(async () => await child.close());
      await child.next((message): message is string => message === "ready");
      return child;
    }),
  );
  return await Promise.all(
    children.map(async (child) => {
      const said = child.next((message): message is { outcome: string } => typeof message === "object");
      child.send({ start: true });
      return (await said).outcome;
    }),
  );
}

describe.skipIf(serverUrl === "")("PgVectorStore with several writers", () => {
  it("is initialized once when four processes start at the same time [pgvector.processes]", async () => {
    const schema = newSchema();

    expect(await storeFrom([3, 3, 3, 3], schema)).toEqual(["stored", "stored", "stored", "stored"]);
    const store = new PgVectorStore(serverUrl, { schema });
    expect(await store.collection("shared").search([1, 1, 1])).toHaveLength(4);
    await store.close();
  });

  it("lets one of four processes decide the length of the vectors [pgvector.processes]", async () => {
    const schema = newSchema();
    const outcomes = await storeFrom([2, 3, 4, 5], schema);

    expect(outcomes.filter((outcome) => outcome === "stored")).toHaveLength(1);
    const refused = outcomes.filter((outcome) => outcome !== "stored");
    const kept = 2 + outcomes.indexOf("stored");
    for (const outcome of refused) {
      expect(outcome).toMatch(
        new RegExp(`^invalid_value: The embedding must have ${kept} numbers, as the store's vectors`),
      );
    }
    expect(await ask(`select dimensions from ${schema}.troupe_vectors`)).toEqual([{ dimensions: kept }]);
  });

  it("is initialized once when ten stores of one process start at the same time [pgvector.processes]", async () => {
    const schema = newSchema();
    const stores = Array.from({ length: 10 }, () => new PgVectorStore(serverUrl, { schema, max: 1 }));
    onTestFinished(async () => void (await Promise.all(stores.map(async (store) => await store.close()))));
    await expect(Promise.all(stores.map(async (store) => await store.initialize()))).resolves.toHaveLength(10);

    const embedding = (index: number) => Array.from({ length: index + 2 }, () => 1);
    const storing = stores.map(async (store, index) => {
      await store.upsert({ id: `d${index}`, content: "", embedding: embedding(index) });
    });
    const outcomes = await Promise.allSettled(storing);
    const refused = outcomes.filter(({ status }) => status === "rejected");
    expect(refused).toHaveLength(9);
    for (const outcome of refused) expect(outcome).toMatchObject({ reason: { code: "invalid_value" } });
    const kept = outcomes.findIndex(({ status }) => status === "fulfilled");
    expect(await stores[0]?.search(embedding(kept))).toHaveLength(1);
  });

  it("finds nothing in a collection that is cleared after it was looked up", async () => {
    const pool = new RecordingPool();
    const schema = newSchema();
    const [store, other] = [new PgVectorStore({ pool }, { schema }), new PgVectorStore(serverUrl, { schema })];
    onTestFinished(async () => void (await Promise.all([store.close(), other.close()])));
    const clearBefore = (word: string): void => {
      pool.beforeSending = async (text) => {
        if (!text.includes(word)) return;
        pool.beforeSending = async () => {};
        await other.clear();
      };
    };

    await store.upsert(at("a"));
    clearBefore("materialized");
    expect(await store.search([1, 0])).toEqual([]);
    await store.upsert(at("a"));
    clearBefore("coalesce(original");
    expect(await store.get("a")).toBeNull();
  });

  it("finds all or nothing while others write and clear, and no call fails", async () => {
    const { store, schema } = open();
    const other = new PgVectorStore(serverUrl, { schema });
    onTestFinished(async () => await other.close());
    const writer = async () => {
      for (let n = 0; n < 20; n++) await store.write({ upsert: [at("a", n), at("b", n)], deleteWhere: { n: n - 1 } });
    };
    const clearer = async () => {
      for (let n = 0; n < 20; n++) await other.clear();
    };
    const reader = async () => {
      for (let n = 0; n < 40; n++) {
        const found = await other.search([1, 0]);
        const versions = new Set(found.map(({ document }) => document.metadata?.["n"]));
        expect([found.length, versions.size]).toEqual(found.length === 0 ? [0, 0] : [2, 1]);
        await store.get("a");
      }
    };

    await Promise.all([writer(), clearer(), reader(), reader()]);
  });

  it("takes overlapping changes in any order, also those that deadlock", async () => {
    const { store } = open();
    const ids = Array.from({ length: 30 }, (_, index) => `d${index}`);
    const changes = Array.from({ length: 12 }, (_, n) => (n % 2 === 0 ? ids : ids.toReversed()));
    await store.write({ upsert: ids.map((id) => at(id)) });

    await Promise.all(
      changes.map(async (order, n) => {
        await store.write({ delete: order.slice(0, 10), upsert: order.slice(5).map((id) => at(id, n)) });
      }),
    );
    expect((await store.search([1, 0], { topK: 100 })).length).toBeGreaterThanOrEqual(25);
  });
});

describe.skipIf(serverUrl === "")("PgVectorStore on a network that fails", () => {
  it("writes nothing of a change whose connection is lost, and works again [pgvector.write]", async () => {
    const url = new URL(serverUrl);
    const proxy = await TcpProxy.start({ target: { host: url.hostname, port: Number(url.port) } });
    onTestFinished(async () => await proxy.close());
    [url.hostname, url.port] = [proxy.host, String(proxy.port)];
    const { store, schema } = open({ max: 1 }, url.href);
    await store.write({ upsert: [at("a", 1)] });
    const before = proxy.open[0]?.toTarget.bytes ?? 0;
    const many = (n: number) => Array.from({ length: 300 }, (_, index) => at(`d${String(index).padStart(4, "0")}`, n));
    await store.write({ upsert: many(1), delete: ["a"] });
    const sent = (proxy.open[0]?.toTarget.bytes ?? 0) - before;
    // Resets within the last statement, which is the commit.
    proxy.setFaults({ toTarget: { resetAfterBytes: before + 2 * sent - 1 } });
    await expect(store.write({ upsert: many(2), delete: ["b"] })).rejects.toMatchObject({
      code: "storage_unavailable",
    });
    proxy.setFaults();

    expect(await store.search([1, 0], { filter: { n: 2 } })).toEqual([]);
    expect(await store.search([1, 0], { filter: { n: 1 }, topK: 1000 })).toHaveLength(300);
    await store.write({ upsert: many(3) });
    expect(await ask(`select count(*)::int from ${schema}.troupe_vectors`)).toEqual([{ count: 1 }]);
    expect(await store.search([1, 0], { filter: { n: 3 }, topK: 1000 })).toHaveLength(300);
  });

  it("fails calls while the server cannot be reached, and works again afterwards", async () => {
    const url = new URL(serverUrl);
    const proxy = await TcpProxy.start({ target: { host: url.hostname, port: Number(url.port) } });
    onTestFinished(async () => await proxy.close());
    [url.hostname, url.port, url.password] = [proxy.host, String(proxy.port), "s3cret"];
    const { store } = open({}, url.href);
    await store.upsert(at("a"));
    proxy.refuseConnections();
    proxy.reset();

    await expect(store.search([1, 0])).rejects.toMatchObject({ code: "storage_unavailable" });
    const failed: unknown = await store.get("a").catch((error: unknown) => error);
    expect(failed).toMatchObject({ message: "PostgreSQL cannot be reached (ECONNREFUSED)." });
    expect(JSON.stringify(failed)).not.toContain("s3cret");
    await proxy.acceptConnections();
    expect((await store.get("a"))?.id).toBe("a");
  });

  it("stops a statement after statementTimeoutMs, and writes nothing", async () => {
    const { store, schema } = open({ statementTimeoutMs: 500 });
    await store.upsert(at("a", 1));
    const [{ tablename } = {}] = await ask(
      `select tablename from pg_tables where schemaname = '${schema}' and tablename <> 'troupe_vectors'`,
    );
    const locked = ask(`begin; lock table ${schema}.${String(tablename)}; select pg_sleep(5)`);
    const isLocked = async () =>
      await ask(`select from pg_locks where relation = '${schema}.${String(tablename)}'::regclass and granted`);
    await vi.waitFor(async () => expect(await isLocked()).toHaveLength(1));

    await expect(store.write({ delete: ["a"], upsert: [at("b")] })).rejects.toMatchObject({
      code: "storage_unavailable",
      message: expect.stringContaining("Raise statementTimeoutMs to wait longer"),
    });
    await locked;
    expect((await store.search([1, 0])).map(({ document }) => document.id)).toEqual(["a"]);
  });
});
