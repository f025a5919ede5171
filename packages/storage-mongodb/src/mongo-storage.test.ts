import { inspect } from "node:util";
import { freePort } from "@troupe-internal/fault-tools";
import { describe, expect, it } from "vitest";
import { MongoStorage } from "./mongo-storage.ts";

describe("MongoStorage without a server", () => {
  it("fails every call as storage_unavailable, without showing credentials", async () => {
    const uri = `mongodb://alice:hunter2222@127.0.0.1:${await freePort()}/db`;
    const storage = new MongoStorage(uri, undefined, undefined, { timeoutMs: 100 });
    const calls = [
      storage.get("ns", "k"),
      storage.list("ns"),
      storage.append("ns", "s/", 1),
      storage.compareAndSet("ns", "k", null, 1),
      storage.transaction([{ namespace: "ns", key: "k", value: 1 }]),
      storage.ping(),
    ];

    for (const outcome of await Promise.allSettled(calls)) {
      const error: unknown = outcome.status === "rejected" ? outcome.reason : undefined;
      expect(error).toMatchObject({ code: "storage_unavailable" });
      expect((error as Error).message).toMatch(/cannot be reached|did not answer/);
      expect(inspect(error, { depth: 20, showHidden: true }) + JSON.stringify(error)).not.toContain("hunter2222");
    }
    expect(inspect(storage, { depth: 20, showHidden: true })).not.toContain("hunter2222");
    await storage.close();
  });

  it("refuses values that cannot be stored before it connects", async () => {
    const storage = new MongoStorage("mongodb://127.0.0.1:1");

    await expect(storage.set("ns", "k", NaN)).rejects.toMatchObject({ code: "invalid_value" });
    await expect(storage.append("ns", "s/", null)).rejects.toMatchObject({ code: "invalid_value" });
    await expect(storage.set("ns", "k", "x".repeat(16 * 1024 * 1024))).rejects.toMatchObject({
      code: "invalid_value",
      message: "The MongoDB storage holds at most 16769024 bytes of JSON in one record.",
    });
    await expect(storage.list("ns", "", { limit: 0 })).rejects.toMatchObject({ code: "invalid_value" });
    await storage.close();
  });

  it("refuses a uri that MongoDB's library refuses, without quoting it", async () => {
    const storage = new MongoStorage("mongodb://alice:hunter2222@host/?w=never&nonsense=hunter2222");
    const error: unknown = await storage.get("ns", "k").catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ code: "invalid_config" });
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain("hunter2222");
    await storage.close();
  });
});
