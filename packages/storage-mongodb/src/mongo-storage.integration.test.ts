import { MongodbServer } from "@troupe-internal/fault-tools";
import { afterAll, describe, expect, it } from "vitest";
import { MongoStorage } from "./mongo-storage.ts";
import { idRange } from "./stored-record.ts";
import type { StoredRecord } from "./stored-record.ts";
import { dropTestDb, newName, newStorage, serverUrl, testDb, withClient } from "./test/collections.ts";

describe.skipIf(serverUrl === "")("MongoStorage", { timeout: 60_000 }, () => {
  afterAll(async () => await dropTestDb());

  it("has its records in the collection that was named, one document each", async () => {
    const name = newName();
    const storage = newStorage(name);
    await storage.set("turns", "a/1", { $set: { "a.b": "x\0y" } });
    const found = await withClient(async (client) => await client.db(testDb).collection(name).find().toArray());
    await storage.close();

    expect(found).toEqual([{ _id: "turns/a/1", v: String.raw`{"$set":{"a.b":"x\u0000y"}}` }]);
  });

  it.each([
    ["no JSON", { v: '{"secret"' }],
    ["no text", { v: 1 }],
    ["nothing", {}],
  ])("says that a record is corrupt that holds %s, and quotes none of it", async (_, document) => {
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

  it("opens once for ten that start at the same time on a collection that is not there", async () => {
    const name = newName();
    const storages = Array.from({ length: 10 }, () => newStorage(name));
    await Promise.all(storages.map(async (storage, index) => await storage.set("ns", `k${index}`, index)));

    expect(await storages[0]?.list("ns")).toHaveLength(10);
    await Promise.all(storages.map(async (storage) => await storage.close()));
  });

  it("reads a listing from the index of ids, between the ends of its prefix", async ({ skip }) => {
    const plan = await withClient(async (client) => {
      const { setName } = await client.db().command({ hello: 1 });
      const records = client.db(testDb).collection<StoredRecord>(newName());
      await records.insertOne({ _id: "turns/s/1", v: "1" });
      const listing = records
        .find(idRange("turns", "s/", { after: "s/9", reverse: true }))
        .sort({ _id: -1 })
        .limit(20);
      return { setName: String(setName), text: JSON.stringify(await listing.explain("queryPlanner")) };
    });
    skip(plan.setName === "secantus", "SecantusDB goes through the whole collection");

    expect(plan.text).toContain('"stage":"IXSCAN"');
    expect(plan.text).not.toMatch(/"stage":"(?:COLLSCAN|SORT)"/);
  });

  it("refuses a collection that compares ids in another way, or forgets records", async () => {
    for (const options of [{ collation: { locale: "en", strength: 2 } }, { capped: true, size: 4096 }]) {
      const name = newName();
      await withClient(async (client) => await client.db(testDb).createCollection(name, options));
      const storage = newStorage(name);

      await expect(storage.get("ns", "k")).rejects.toMatchObject({ code: "invalid_config" });
      await storage.close();
    }
  });

  it("says that the login was refused, and shows no password", async () => {
    const storage = new MongoStorage(serverUrl.replace("//", "//nobody:hunter2222@"), testDb, newName());
    const error = (await storage.get("ns", "k").catch((thrown: unknown) => thrown)) as Error;

    expect(error).toMatchObject({ code: "storage_unavailable" });
    expect(error.message).toMatch(/refused the login/);
    expect(`${String(error.cause)} ${error.stack} ${JSON.stringify(error)}`).not.toContain("hunter2222");
    await storage.close();
  });

  it("finishes what is under way before it closes", async () => {
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

  it("refuses a server on its own, which has no transactions, and says how to mend it", async () => {
    const server = await MongodbServer.create({ standalone: true });
    const storage = newStorage(newName(), {}, server.url);

    for (const call of [async () => await storage.get("ns", "k"), async () => await storage.ping()]) {
      const error: unknown = await call().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "invalid_config" });
      expect(String(error)).toMatch(/start it as a replica set, of which one server is enough/);
    }
    await storage.close();
    await server.close();
  });
});
