import { MongodbServer } from "@troupe-internal/fault-tools";
import { AggregationCursor, Collection } from "mongodb";
import { afterAll, afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { MongoOptions } from "./mongo-options.ts";
import type { MongoStorage } from "./mongo-storage.ts";
import { dropTestDb, newName, newStorage, serverUrl } from "./test/collections.ts";

/** Opens a storage for one test. */
function open(name: string, url = serverUrl, options: MongoOptions = {}): MongoStorage {
  const storage = newStorage(name, { timeoutMs: 5000, ...options }, url);
  onTestFinished(async () => await storage.close());
  return storage;
}

/** Watches a namespace, and returns the number of calls. */
function listen(storage: MongoStorage, namespace = "ns"): { calls: () => number; stop: () => void } {
  let calls = 0;
  const stop = storage.watch(namespace, () => (calls += 1));
  return { calls: () => calls, stop };
}

/** Waits until a condition holds, however slow the machine is. */
async function expectSoon(holds: () => boolean): Promise<void> {
  await vi.waitFor(() => expect(holds()).toBe(true), { timeout: 60_000, interval: 10 });
}

describe.skipIf(serverUrl === "")("MongoStorage.watch", { timeout: 120_000 }, () => {
  afterEach(() => void vi.restoreAllMocks());
  afterAll(async () => await dropTestDb());

  it("calls back after each write of another connection [storage.watch-processes]", async () => {
    const name = newName();
    const [storage, other] = [open(name), open(name)];
    const { calls } = listen(storage);
    // One call follows the connection, and one the beginning of the stream.
    await expectSoon(() => calls() >= 2);
    for (let turn = 1; turn <= 5; turn++) {
      const before = calls();
      await other.insertAll([{ namespace: "ns", key: `k${turn}`, value: turn }]);
      await expectSoon(() => calls() > before);
    }
  });

  it("keeps its change stream while nothing changes, also with a timeout shorter than the server waits by default", async () => {
    const asked = vi.spyOn(AggregationCursor.prototype, "tryNext");
    const storage = open(newName(), serverUrl, { timeoutMs: 900 });
    listen(storage);
    const { contexts, settledResults } = asked.mock;
    const answersOf = (stream: unknown): number =>
      settledResults.filter(({ type }, call) => type === "fulfilled" && contexts[call] === stream).length;

    await expectSoon(() => contexts.some((stream) => answersOf(stream) > 4));
  });

  it("has one change stream for all namespaces, which is opened for the first listener and closed with the last", async () => {
    const watched = vi.spyOn(Collection.prototype, "aggregate");
    const storage = open(newName());
    await storage.set("ns", "k", 1);
    expect(watched).not.toHaveBeenCalled();

    const listeners = ["ns", "other", "ns"].map((namespace) => listen(storage, namespace));
    await expectSoon(() => listeners.every(({ calls }) => calls() >= 2));
    expect(watched).toHaveBeenCalledOnce();
    const stream = watched.mock.results[0]?.value as { closed: boolean };
    listeners[0]?.stop();
    listeners[1]?.stop();
    expect(stream.closed).toBe(false);
    listeners[2]?.stop();
    await expectSoon(() => stream.closed);

    const again = listen(storage);
    await expectSoon(() => again.calls() >= 2);
    expect(watched).toHaveBeenCalledTimes(2);
  });

  it("has closed its change stream when close resolves", async () => {
    const watched = vi.spyOn(Collection.prototype, "aggregate");
    const storage = open(newName());
    const { calls } = listen(storage);
    await expectSoon(() => calls() >= 2);
    await storage.close();

    expect(watched.mock.results.map(({ value }) => (value as { closed: boolean }).closed)).toEqual([true]);
  });
});

describe.skipIf(serverUrl === "" || !MongodbServer.isInstalled())(
  "MongoStorage.watch on a server that restarts",
  { timeout: 180_000 },
  () => {
    it("calls back after writes of other connections again after each restart, and of what was written meanwhile", async () => {
      const server = await MongodbServer.create({ durable: true });
      onTestFinished(async () => await server.close());
      const name = newName();
      const [storage, other] = [open(name, server.url), open(name, server.url)];
      const { calls } = listen(storage);
      await expectSoon(() => calls() >= 2);
      for (const signal of ["SIGTERM", "SIGKILL"] as const) {
        const atStop = calls();
        await server.stop(signal);
        await server.start();
        await expectSoon(() => calls() > atStop);
        const before = calls();
        await other.set("ns", "k", signal);
        await expectSoon(() => calls() > before);
      }
    });
  },
);
