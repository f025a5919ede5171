import { MongodbServer } from "@troupe-internal/fault-tools";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newName, newStorage, serverUrl } from "./test/collections.ts";
import type { MongoStorage } from "./mongo-storage.ts";

describe.skipIf(serverUrl === "" || !MongodbServer.isInstalled())(
  "MongoStorage on a server that fails",
  { timeout: 120_000 },
  () => {
    let server: MongodbServer;
    beforeAll(async () => {
      server = await MongodbServer.create({ durable: true });
    });
    afterAll(async () => await server.close());

    it("loses no confirmed append and stores none twice when the server is killed under load, three times", async () => {
      const storage = newStorage(newName(), { timeoutMs: 5000 }, server.url);
      const load = new AppendLoad(storage);
      for (const confirmed of [20, 40, 60]) {
        await load.until(confirmed);
        await server.stop("SIGKILL");
        await server.start();
      }
      await load.until(80);
      await load.stop();
      const stored = (await storage.list("turns", "s/")).map(({ value }) => value);
      await storage.close();

      expect(new Set(stored).size).toBe(stored.length);
      expect(stored).toEqual(expect.arrayContaining(load.confirmed));
      // When the server is back in time, the driver's own retry succeeds and nothing fails.
      expect(load.failures.filter((code) => code !== "storage_unavailable")).toEqual([]);
    });

    it("fails a ping within a second and other calls in time while the server hangs", async () => {
      const storage = newStorage(newName(), { timeoutMs: 2000 }, server.url);
      await storage.set("ns", "k", 1);
      await server.freeze();
      const start = performance.now();
      await expect(storage.ping()).rejects.toMatchObject({ code: "storage_unavailable" });
      expect(performance.now() - start).toBeLessThan(2000);
      await expect(storage.get("ns", "k")).rejects.toMatchObject({ code: "storage_unavailable" });
      await server.thaw();

      expect(await storage.get("ns", "k")).toBe(1);
      await storage.close();
    });
  },
);

/** Eight writers that append unique values, one after the other. */
class AppendLoad {
  readonly confirmed: string[] = [];
  readonly failures: unknown[] = [];
  readonly #writers: Promise<void>[];
  #isStopped = false;
  #onConfirmed: () => void = () => {};

  constructor(storage: MongoStorage) {
    this.#writers = Array.from({ length: 8 }, async (_, writer) => await this.#write(storage, writer));
  }

  /** Resolves when this many appends were confirmed. */
  async until(count: number): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#onConfirmed = () => this.confirmed.length >= count && resolve();
      this.#onConfirmed();
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#writers);
  }

  async #write(storage: MongoStorage, writer: number): Promise<void> {
    for (let turn = 0; !this.#isStopped; turn++) {
      const value = `${writer} ${turn}`;
      try {
        await storage.append("turns", "s/", value);
        this.confirmed.push(value);
        this.#onConfirmed();
      } catch (error) {
        this.failures.push((error as { code?: unknown }).code);
      }
    }
  }
}
