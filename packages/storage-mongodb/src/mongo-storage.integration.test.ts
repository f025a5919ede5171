import { afterAll, describe, expect, it } from "vitest";
import { MongoStorage } from "./mongo-storage.ts";
import { idOf } from "./stored-record.ts";
import type { StoredRecord } from "./stored-record.ts";
import { dropTestDb, newName, newStorage, serverUrl, testDb, withClient } from "./test/collections.ts";

describe.skipIf(serverUrl === "")("MongoStorage", { timeout: 60_000 }, () => {
  afterAll(async () => await dropTestDb());

  it("stores each record as one document of the given collection", async () => {
    const name = newName();
    const storage = newStorage(name);
    await storage.set("turns", "a/1", { $set: { "a.b": "x\0y" } });
    const found = await withClient(async (client) => await client.db(testDb).collection(name).find().toArray());
    await storage.close();

    expect(found).toEqual([{ _id: "turns/a/1", v: String.raw`{"$set":{"a.b":"x\u0000y"}}` }]);
  });

  it.each([
    ["invalid JSON", { v: '{"secret"' }],
    ["a number", { v: 1 }],
    ["nothing", {}],
  ])("reports a record that holds %s as corrupt, without quoting it", async (_, document) => {
    const name = newName();
    const storage = newStorage(name);
    const insert = { _id: "ns/k" as never, ...document };
    await withClient(async (client) => await client.db(testDb).collection(name).insertOne(insert));

    const calls = [storage.get("ns", "k"), storage.list("ns"), storage.compareAndSet("ns", "k", 1, 2)];
    for (const outcome of await Promise.allSettled(calls)) {
      const error: unknown = outcome.status === "rejected" && outcome.reason;
      expect(error).toMatchObject({ code: "storage_corrupt", fields: { namespace: "ns", key: "k" } });
      expect(String(error)).not.toContain("secret");
    }
    await storage.set("ns", "k", 1);
    expect(await storage.get("ns", "k")).toBe(1);
    await storage.close();
  });

  it("creates the collection once when ten storages start at the same time", async () => {
    const name = newName();
    const storages = Array.from({ length: 10 }, () => newStorage(name));
    await Promise.all(storages.map(async (storage, index) => await storage.set("ns", `k${index}`, index)));

    expect(await storages[0]?.list("ns")).toHaveLength(10);
    await Promise.all(storages.map(async (storage) => await storage.close()));
  });

  it("lists from the index of ids, within the range of the prefix", async ({ skip }) => {
    const plan = await withClient(async (client) => {
      const { setName } = await client.db().command({ hello: 1 });
      const records = client.db(testDb).collection<StoredRecord>(newName());
      await records.insertOne({ _id: "turns/s/1", v: "1" });
      const listing = records
        .find({ _id: { $gte: idOf("turns", "s/"), $lt: idOf("turns", "s/9") } })
        .sort({ _id: -1 })
        .limit(20);
      return { setName: String(setName), text: JSON.stringify(await listing.explain("queryPlanner")) };
    });
    skip(plan.setName === "secantus", "SecantusDB goes through the whole collection");

    expect(plan.text).toContain('"stage":"IXSCAN"');
    expect(plan.text).not.toMatch(/"stage":"(?:COLLSCAN|SORT)"/);
  });

  it("refuses a collection with a collation, and a capped one", async () => {
    for (const options of [{ collation: { locale: "en", strength: 2 } }, { capped: true, size: 4096 }]) {
      const name = newName();
      await withClient(async (client) => await client.db(testDb).createCollection(name, options));
      const storage = newStorage(name);

      await expect(storage.get("ns", "k")).rejects.toMatchObject({ code: "invalid_config" });
      await storage.close();
    }
  });

  it("reports a refused login without showing the password", async () => {
    const storage = new MongoStorage(serverUrl.replace("//", "//nobody:hunter2222@"), testDb, newName());
    const error = (await storage.get("ns", "k").catch((thrown: unknown) => thrown)) as Error;

    expect(error).toMatchObject({ code: "storage_unavailable" });
    expect(error.message).toMatch(/refused the login/);
    expect(`${String(error.cause)} ${error.stack} ${JSON.stringify(error)}`).not.toContain("hunter2222");
    await storage.close();
  });

  it("finishes running calls before it closes", async () => {
    const name = newName();
    const storage = newStorage(name);
    const written = Promise.all(
      Array.from({ length: 20 }, async (_, index) => await storage.append("ns", "s/", index)),
    );
    await storage.close();
    await written;
    const reader = newStorage(name);

    expect(await reader.list("ns")).toHaveLength(20);
    await reader.close();
  });
});
