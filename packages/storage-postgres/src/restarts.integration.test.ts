import { PostgresServer } from "@troupe-internal/fault-tools";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { AppendLoad } from "../test/append-load.ts";
import { serverUrl } from "../test/test-schemas.ts";
import { PostgresStorage } from "./postgres-storage.ts";

const hasServer = serverUrl !== "";

let server: PostgresServer;
beforeAll(async () => {
  if (hasServer) server = await PostgresServer.create();
}, 60_000);
afterAll(async () => await server?.close());

describe.skipIf(!hasServer)("PostgresStorage on a server that restarts", { timeout: 60_000 }, () => {
  it("loses no confirmed append, duplicates none, and works again after each restart", async () => {
    const storage = new PostgresStorage(server.url);
    onTestFinished(async () => await storage.close());
    const load = new AppendLoad(storage);
    for (const mode of ["fast", "immediate", "fast", "immediate"] as const) {
      await load.untilAllWrite();
      await server.stop(mode);
      await server.start();
    }
    await load.untilAllWrite();

    expect(await load.wronglyStored()).toEqual([]);
    expect(load.acknowledged).toBeGreaterThan(100);
    expect([...load.codes]).toEqual(["storage_unavailable"]);
  });

  it("can be created before its server runs", async () => {
    await server.stop();
    const storage = new PostgresStorage(server.url, { schema: "early" });
    onTestFinished(async () => await storage.close());
    await expect(storage.get("ns", "k")).rejects.toMatchObject({ code: "storage_unavailable" });
    await server.start();

    expect(await storage.get("ns", "k")).toBeNull();
  });
});
