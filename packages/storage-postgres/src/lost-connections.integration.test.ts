import { TcpProxy } from "@troupe-internal/fault-tools";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ask, serverUrl, testSchemas } from "../test/test-schemas.ts";
import { PostgresStorage } from "./index.ts";
import type { PostgresOptions } from "./index.ts";

const newSchema = testSchemas();

/** A storage in use that reaches its server through a proxy. */
async function open(options: PostgresOptions = {}) {
  const url = new URL(serverUrl);
  const proxy = await TcpProxy.start({ target: { host: url.hostname, port: Number(url.port) } });
  [url.hostname, url.port] = [proxy.host, String(proxy.port)];
  const schema = newSchema();
  const storage = new PostgresStorage(url.href, { schema, ...options });
  onTestFinished(async () => {
    await storage.close();
    await proxy.close();
  });
  await storage.set("ns", "k", "old");
  return { storage, proxy, stored: async () => await ask(`select key, value from ${schema}.troupe_records`) };
}

const unavailable = { code: "storage_unavailable" };

/** Writes for a transaction, which takes one statement without a deletion and several with one. */
const writes = (value: number, deleted: readonly string[]) => [
  ...["a", "b"].map((key) => ({ namespace: "ns", key, value })),
  ...deleted.map((key) => ({ namespace: "ns", key, value: null })),
];
const kinds = [
  ["of stored records", []],
  ["of stored and deleted records", ["c"]],
] as const;

describe.skipIf(serverUrl === "")("PostgresStorage on a network that fails", () => {
  it("does not repeat a statement whose answer is lost", async () => {
    const { storage, proxy, stored } = await open();
    proxy.setFaults({ toClient: { cutAfterBytes: 0 } });
    await expect(storage.append("ns", "s/", "once")).rejects.toMatchObject({
      ...unavailable,
      message: "PostgreSQL did not answer, or the connection was lost. The operation may have been executed.",
    });
    proxy.setFaults();

    const appended = async (): Promise<unknown> => (await stored()).filter(({ key }) => key !== "k");
    await vi.waitFor(async () => expect(await appended()).toEqual([{ key: "s/000000000001", value: '"once"' }]));
    expect((await storage.append("ns", "s/", "twice")).seq).toBe(2);
  });

  it.each(kinds)("does not repeat a commit %s whose answer is lost", async (_, deleted) => {
    const { storage, proxy, stored } = await open();
    const before = proxy.open[0]?.toClient.bytes ?? 0;
    await storage.transaction(writes(1, deleted));
    const answers = (proxy.open[0]?.toClient.bytes ?? 0) - before;
    // Cuts within the last answer, which is that to the commit.
    proxy.setFaults({ toClient: { cutAfterBytes: before + 2 * answers - 1 } });
    await expect(storage.transaction(writes(2, deleted))).rejects.toMatchObject(unavailable);
    proxy.setFaults();

    expect(await stored()).toContainEqual({ key: "a", value: "2" });
    expect(await storage.get("ns", "a")).toBe(2);
  });

  it.each(kinds)(
    "writes nothing of a transaction %s whose connection is lost before the commit",
    async (_, deleted) => {
      const { storage, proxy, stored } = await open();
      const before = proxy.open[0]?.toTarget.bytes ?? 0;
      await storage.transaction(writes(1, deleted));
      const statements = (proxy.open[0]?.toTarget.bytes ?? 0) - before;
      // Resets within the last statement, which is the commit.
      proxy.setFaults({ toTarget: { resetAfterBytes: before + 2 * statements - 1 } });
      await expect(storage.transaction(writes(2, deleted))).rejects.toMatchObject(unavailable);
      proxy.setFaults();

      expect(await storage.get("ns", "a")).toBe(1);
      expect(await stored()).toContainEqual({ key: "a", value: "1" });
    },
  );

  it("sends no statement on a connection whose end has arrived unread", async () => {
    const { storage, proxy } = await open({ max: 1 });
    proxy.reset();
    // Blocks the event loop while the reset arrives, so that it is unread when the call is made.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1100);

    await expect(storage.append("ns", "s/", 1)).resolves.toEqual({ key: "s/000000000001", seq: 1 });
    expect(proxy.connections).toHaveLength(2);
  });

  it("fails a call after its timeout when no answer comes", async () => {
    const { storage, proxy } = await open({ statementTimeoutMs: 1000, acquireTimeoutMs: 1000 });
    proxy.setFaults({ toTarget: { blackHole: true } });

    await expect(storage.get("ns", "k")).rejects.toMatchObject(unavailable);
    await expect(storage.get("ns", "k"), "no new connection either").rejects.toMatchObject(unavailable);
    proxy.setFaults();
    expect(await storage.get("ns", "k")).toBe("old");
  });

  it("fails a ping within about a second when nothing answers", async () => {
    const { storage, proxy } = await open();
    proxy.setFaults({ toTarget: { blackHole: true } });
    const start = performance.now();

    await expect(storage.ping()).rejects.toMatchObject({
      ...unavailable,
      message: "The PostgreSQL storage did not answer within 1000 ms.",
    });
    expect(performance.now() - start).toBeLessThan(3000);
    proxy.setFaults();
  });

  it("closes although the server does not answer", async () => {
    const { storage, proxy } = await open();
    proxy.setFaults({ toTarget: { blackHole: true } });

    await expect(storage.close()).resolves.toBeUndefined();
  });

  it("fails calls while the server is unreachable, and works again afterwards", async () => {
    const { storage, proxy } = await open();
    proxy.refuseConnections();
    proxy.reset();

    await expect(storage.get("ns", "k")).rejects.toMatchObject(unavailable);
    await expect(storage.get("ns", "k")).rejects.toMatchObject({
      ...unavailable,
      message: "PostgreSQL cannot be reached (ECONNREFUSED).",
    });
    await proxy.acceptConnections();
    expect(await storage.get("ns", "k")).toBe("old");
  });
});
