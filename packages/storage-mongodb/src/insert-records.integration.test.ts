import { afterAll, describe, expect, it } from "vitest";
import { dropTestDb, newName, newStorage, serverUrl, testDb, withClient } from "./test/collections.ts";

describe.skipIf(serverUrl === "")("MongoStorage.insertAll", { timeout: 120_000 }, () => {
  afterAll(async () => await dropTestDb());

  it("inserts more than fits into one request of MongoDB", async () => {
    const storage = newStorage();
    const value = "x".repeat(12 * 1024 * 1024);
    await storage.set("ns", "k2", "old");
    const writes = [0, 1, 2, 3, 4].map((index) => ({ namespace: "ns", key: `k${index}`, value }));
    const inserted = await storage.insertAll([...writes, { namespace: "ns", key: "k0", value: "later" }]);

    expect(inserted).toEqual([true, true, false, true, true, false]);
    expect(await storage.get("ns", "k2")).toBe("old");
    expect(await storage.get("ns", "k4")).toBe(value);
    await storage.close();
  });

  it("rejects when a record is refused for another reason than its key", async () => {
    const name = newName();
    await withClient(async (client) => {
      const validator = { v: { $ne: '"refused"' } };
      await client.db(testDb).createCollection(name, { validator });
    });
    const storage = newStorage(name);
    await storage.set("ns", "a", 1);
    const writes = ["a", "refused", "b"].map((value) => ({ namespace: "ns", key: value, value }));

    await expect(storage.insertAll(writes)).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(await storage.get("ns", "b")).toBe("b");
    await storage.close();
  });
});
