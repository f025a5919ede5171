import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { PostgresServer, TcpProxy, TestChild } from "@troupe-internal/fault-tools";
import pg from "pg";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ask, serverUrl, testSchemas } from "../test/test-schemas.ts";
import { channelOf } from "./change-notifier.ts";
import { PostgresStorage } from "./postgres-storage.ts";
import type { PostgresOptions } from "./postgres-options.ts";
import type { PostgresPool } from "./postgres-pool.ts";

const newSchema = testSchemas();
const patience = { timeout: 20_000 };
const record = (key: string) => ({ namespace: "run-log", key, value: 1 });

function open(connection: ConstructorParameters<typeof PostgresStorage>[0], options: PostgresOptions): PostgresStorage {
  const storage = new PostgresStorage(connection, options);
  onTestFinished(async () => await storage.close());
  return storage;
}

const named = (name: string): string => `${serverUrl}?application_name=${name}`;

/** The connections under this application name that have listened. */
const listeningAs = async (name: string, url = serverUrl): Promise<Record<string, unknown>[]> =>
  await ask(
    `select pid from pg_stat_activity where application_name = '${name}' and query ~ '^(listen|select 1)'`,
    url,
  );

/** Watches a namespace until notifications come and no hint is on its way, and returns the number of calls since. */
async function listen(storage: PostgresStorage): Promise<{ calls: () => number; stop: () => void }> {
  let calls = 0;
  const stop = storage.watch("run-log", () => (calls += 1));
  await untilQuiet(() => calls);
  const before = calls;
  return { calls: () => calls - before, stop };
}

/** Hints come from a timer until the notifications do. */
async function untilQuiet(calls: () => number): Promise<void> {
  await vi.waitFor(async () => {
    const before = calls();
    await sleep(300);
    expect(before).toBeGreaterThan(0);
    expect(calls()).toBe(before);
  }, patience);
}

describe.skipIf(serverUrl === "")("PostgresStorage.watch", { timeout: 60_000 }, () => {
  it("calls back after each kind of write of another storage on its table [storage.watch-processes]", async () => {
    const schema = newSchema();
    const [storage, other] = [open(serverUrl, { schema }), open(serverUrl, { schema })];
    const { calls } = await listen(storage);
    for (const write of [
      async () => await other.set("run-log", "a", 1),
      async () => await other.delete("run-log", "a"),
      async () => await other.append("run-log", "s/", 1),
      async () => await other.compareAndSet("run-log", "b", null, 1),
      async () => await other.insertAll([record("c")]),
      async () => await other.transaction([record("d"), record("e")]),
      async () => await other.transaction([record("f"), { ...record("d"), value: null }]),
    ]) {
      const before = calls();
      await write();
      await vi.waitFor(() => expect(calls()).toBeGreaterThan(before));
    }
  });

  it("calls back after a write of another process", async () => {
    const schema = newSchema();
    const { calls } = await listen(open(serverUrl, { schema }));
    const child = await TestChild.start(new URL("../test/storage-child.ts", import.meta.url), {
      args: [serverUrl, schema, "run-log"],
    });
    onTestFinished(async () => await child.close());
    await child.next((message): message is string => message === "ready");
    child.send({ appends: 1 });

    await vi.waitFor(() => expect(calls()).toBeGreaterThan(0), patience);
  });

  it("is not called for other tables, for records that nobody waits for, nor for writes that changed nothing", async () => {
    const schema = newSchema();
    const [storage, other, apart] = [open(serverUrl, { schema }), open(serverUrl, { schema }), newSchema()];
    await other.set("run-log", "a", 1);
    const { calls } = await listen(storage);
    await open(serverUrl, { schema: apart }).set("run-log", "a", 1);
    await open(serverUrl, { schema, table: "others" }).set("run-log", "a", 1);
    await other.set("sessions", "a", 1);
    await other.append("sessions", "s/", 1);
    await other.insertAll([record("a")]);
    await other.compareAndSet("run-log", "a", 2, 3);
    await sleep(200);

    expect(calls()).toBe(0);
  });

  it("serves several storages of one pool by one connection beside the pool, which may have a single one", async () => {
    const pool = new pg.Pool({ connectionString: serverUrl, max: 1, application_name: "one_listener" });
    onTestFinished(async () => await pool.end());
    const [schema, apart] = [newSchema(), newSchema()];
    const storages = [open({ pool }, { schema }), open({ pool }, { schema }), open({ pool }, { schema: apart })];
    const listening = await Promise.all(storages.map(listen));
    expect(await listeningAs("one_listener")).toHaveLength(1);
    const borrowed = await pool.connect();
    await open(serverUrl, { schema }).set("run-log", "a", 1);
    await open(serverUrl, { schema: apart }).set("run-log", "a", 1);

    await vi.waitFor(() => expect(listening.map(({ calls }) => calls() > 0)).toEqual([true, true, true]));
    borrowed.release();
    await Promise.all(storages.map(async (storage) => await storage.close()));
    await vi.waitFor(async () => expect(await listeningAs("one_listener")).toEqual([]), patience);
  });

  it("has no connection without a listener, and none after close", async () => {
    const [url, schema] = [named("no_listener"), newSchema()];
    const storage = open(url, { schema });
    await storage.set("run-log", "a", 1);
    expect(await listeningAs("no_listener")).toEqual([]);
    const first = await listen(storage);
    await vi.waitFor(async () => expect(await listeningAs("no_listener")).toHaveLength(1));
    first.stop();
    await vi.waitFor(async () => expect(await listeningAs("no_listener")).toEqual([]), patience);

    await listen(storage);
    await vi.waitFor(async () => expect(await listeningAs("no_listener")).toHaveLength(1));
    await storage.close();
    const connections = "select pid from pg_stat_activity where application_name = 'no_listener'";
    await vi.waitFor(async () => expect(await ask(connections)).toEqual([]), patience);
  });

  it("calls back from a timer with a pool that does not say how it connects, and warns once", async () => {
    const warnings: string[] = [];
    const listener = ({ message }: Error): void => void warnings.push(message);
    process.on("warning", listener);
    onTestFinished(() => void process.off("warning", listener));
    const whole = new pg.Pool({ connectionString: serverUrl });
    onTestFinished(async () => await whole.end());
    const pool: PostgresPool = {
      connect: async () => await whole.connect(),
      on: (event, report) => whole.on(event, report),
      off: (event, report) => whole.off(event, report),
    };
    const storage = open({ pool }, { schema: newSchema() });
    for (let turn = 0; turn < 2; turn += 1) {
      let calls = 0;
      const stop = storage.watch("run-log", () => (calls += 1));
      await vi.waitFor(() => expect(calls).toBeGreaterThan(3), patience);
      stop();
    }

    expect(warnings).toEqual([expect.stringContaining("the given pool has no Client and options")]);
  });

  it("listens again after its connection was ended", async () => {
    const [url, schema] = [named("ended_listener"), newSchema()];
    const { calls } = await listen(open(url, { schema }));
    const other = open(serverUrl, { schema });
    const [lost] = await listeningAs("ended_listener");
    await ask(`select pg_terminate_backend(${String(lost?.["pid"])})`);
    await vi.waitFor(() => expect(calls()).toBeGreaterThan(0), patience);
    await untilQuiet(calls);
    const before = calls();
    await other.set("run-log", "a", 1);

    await vi.waitFor(() => expect(calls()).toBeGreaterThan(before));
  });

  it("listens again after a restart of the server, and calls back then", async () => {
    const server = await PostgresServer.create();
    onTestFinished(async () => await server.close());
    const [storage, other] = [open(server.url, {}), open(server.url, {})];
    const { calls } = await listen(storage);
    await server.stop("immediate");
    await server.start();
    await other.set("run-log", "a", 1);
    await vi.waitFor(() => expect(calls()).toBeGreaterThan(0), patience);
    await untilQuiet(calls);
    const before = calls();
    await other.set("run-log", "b", 1);

    await vi.waitFor(() => expect(calls()).toBeGreaterThan(before));
  });

  it("listens again after the network has dropped its connection without a word", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { hostname, port } = new URL(serverUrl);
    const proxy = await TcpProxy.start({ target: { host: hostname, port: Number(port) } });
    onTestFinished(async () => await proxy.close());
    const url = Object.assign(new URL(serverUrl), { hostname: proxy.host, port: String(proxy.port) }).href;
    const schema = newSchema();
    const [storage, other] = [open(url, { schema }), open(serverUrl, { schema })];
    await other.get("run-log", "a");
    const { calls } = await listen(storage);
    proxy.setFaults({ toTarget: { blackHole: true }, toClient: { blackHole: true } });
    await other.set("run-log", "a", 1);
    await sleep(300);
    expect(calls()).toBe(0);

    // The next check of the connection, and the time for its answer.
    await vi.advanceTimersByTimeAsync(10_000);
    await vi.advanceTimersByTimeAsync(5000);
    await vi.waitFor(() => expect(calls()).toBeGreaterThan(0), patience);
    proxy.setFaults();
    await vi.advanceTimersByTimeAsync(500);
    await untilQuiet(calls);
    const before = calls();
    await other.set("run-log", "a", 2);
    await vi.waitFor(() => expect(calls()).toBeGreaterThan(before), patience);
  });

  it.each(["own", "given"])("does not keep the process alive with its %s pool", async (whose) => {
    const args = [serverUrl, newSchema(), whose];
    const child = await TestChild.start(new URL("../test/watching-child.ts", import.meta.url), { args });
    onTestFinished(async () => await child.close());
    await child.next((message): message is string => message === "called");
    const calledAt = performance.now();

    expect({ ...(await child.exit), output: child.output.toString() }).toEqual({ code: 0, signal: null, output: "" });
    // Idle connections of a pool end by themselves after 10 seconds.
    expect(performance.now() - calledAt).toBeLessThan(9000);
  });

  it("does not keep the process alive while it connects to a server that hangs", async () => {
    const connected = Promise.withResolvers<void>();
    const server = createServer(() => connected.resolve());
    await once(server.listen(0, "127.0.0.1"), "listening");
    const port = String((server.address() as AddressInfo).port);
    const args = [serverUrl, newSchema(), "given", Object.assign(new URL(serverUrl), { port }).href];
    const child = await TestChild.start(new URL("../test/watching-child.ts", import.meta.url), { args });
    onTestFinished(async () => {
      await child.close();
      server.close();
    });
    await connected.promise;
    const connectedAt = performance.now();

    expect({ ...(await child.exit), output: child.output.toString() }).toEqual({ code: 0, signal: null, output: "" });
    // After 5 seconds it gives the attempt up.
    expect(performance.now() - connectedAt).toBeLessThan(4500);
  });

  it("gathers the notifications of many writes, and sends that of the last one", async () => {
    const schema = newSchema();
    const storage = new PostgresStorage(serverUrl, { schema });
    await storage.get("ns", "k");
    const client = new pg.Client(serverUrl);
    await client.connect();
    onTestFinished(async () => await client.end());
    const channel = channelOf(`"${schema}"."troupe_records"`);
    const payloads: unknown[] = [];
    client.on("notification", ({ payload }) => payloads.push(payload));
    await client.query(`listen ${channel}`);
    const start = performance.now();
    for (let turn = 0; turn < 200; turn += 1) await storage.set("run-log", "k", turn);
    const spentMs = performance.now() - start;
    const during = payloads.length;
    await storage.set("run-log", "k", "last");
    await storage.close();

    expect(during).toBeLessThanOrEqual(Math.ceil(spentMs / 20) + 1);
    await vi.waitFor(() => expect(payloads.length).toBeGreaterThan(during));
    expect(new Set(payloads)).toEqual(new Set([""]));
  });
});
