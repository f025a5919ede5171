import { checkHostileStrings, checkTenants, clusteredVectors, measureRecall } from "@troupe-internal/fault-tools";
import type { Logger } from "@troupe/core";
import { afterAll, describe, expect, it, vi } from "vitest";
import { MongoDbVectorStore } from "./mongodb-vector-store.ts";
import { dropTestDb, newName, newStore, serverUrl, silent, standaloneUrl, testDb, withClient } from "./test/stores.ts";

/** SecantusDB takes five minutes for 5,000, and is no faster for others meanwhile. */
const hostileCount = Number(process.env["TROUPE_HOSTILE_STRINGS"] ?? 500);

describe.skipIf(serverUrl === "")("MongoDbVectorStore on a replica set", () => {
  afterAll(async () => await dropTestDb());

  it("finds all of the nearest documents, with and without a filter [mongodb.vector-recall]", async () => {
    const store = newStore();
    const sample = clusteredVectors({ queries: 5 });
    await store.write({ upsert: sample.documents });

    expect(await measureRecall(store, sample)).toBe(1);
    expect(await measureRecall(store, sample, { filter: { cluster: 3 } })).toBe(1);
    expect(await measureRecall(store, sample, { filter: { part: 3 }, topK: 200 })).toBe(1);
    await store.close();
  });

  it("touches exactly the document of each hostile string [mongodb.vector-strings]", async () => {
    const store = newStore();
    await checkHostileStrings(store, { count: hostileCount });
    await checkHostileStrings(store.collection("' / $ä"), { count: 300, seed: 2 });
    await store.close();
  });

  it("keeps tenants apart [mongodb.vector-tenants]", async () => {
    const store = newStore();
    await checkTenants(store, { tenants: 8, rounds: 5 });
    await store.close();
  });

  it("keeps vectors of any length exactly, of 3,072 and more dimensions, and scores them right [mongodb.vector-exact]", async () => {
    const store = newStore();
    for (const length of [1e38, 1e30, 1, 1e-3, 1e-30, 1e-44]) {
      const embedding = [length, -length, 0];
      await store.upsert({ id: `${length}`, content: "", embedding });
      expect((await store.get(`${length}`))?.embedding).toEqual(embedding.map(Math.fround));
    }
    const scores = (await store.search([1e-20, 0, 0])).map(({ score }) => score);
    expect(scores).toHaveLength(6);
    for (const score of scores) expect(score).toBeCloseTo(Math.SQRT1_2, 6);
    const long = store.collection("long");
    const vector = Array.from({ length: 20_000 }, (_, index) => Math.fround(Math.sin(index + 1)));
    await long.upsert({ id: "a", content: "", embedding: vector });
    expect((await long.get("a"))?.embedding).toEqual(vector);
    expect((await long.search(vector, { minScore: 1 }))[0]?.score).toBe(1);
    await store.close();
  });

  it("lets one of several first documents decide the dimensions [mongodb.vector-dimensions]", async () => {
    const name = newName();
    const stores = Array.from({ length: 4 }, () => newStore({ collectionName: name }));
    const writes = stores.map(async (store, index) => {
      const upsert = Array.from({ length: 20 }, (_, at) => ({
        id: `${index} ${at}`,
        content: "",
        embedding: Array.from({ length: 2 + (index % 2) }, () => 1),
      }));
      await store.write({ upsert });
    });
    const outcomes = await Promise.allSettled(writes);
    const refused = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as unknown] : []));

    expect(refused).toHaveLength(2);
    for (const error of refused) expect(error).toMatchObject({ code: "invalid_value" });
    const winner = outcomes.findIndex(({ status }) => status === "fulfilled") % 2;
    const found = await stores[0]?.search(
      Array.from({ length: 2 + winner }, () => 1),
      { topK: 100 },
    );
    expect(found?.map(({ document }) => Number(document.id[0]) % 2)).toEqual(Array.from({ length: 40 }, () => winner));
    await Promise.all(stores.map(async (store) => await store.close()));
  });

  it("removes everything of a cleared collection from the database, also what a stopped process left [mongodb.vector-clear]", async () => {
    const name = newName();
    const store = newStore({ collectionName: name });
    await store.upsert({ id: "kept", content: "", embedding: [1] });
    const inner = store.collection("inner");
    for (const id of ["a", "b"]) {
      await inner.upsert({ id, content: "", embedding: [1, 0] });
      // As a process does that stops while it clears.
      if (id === "a")
        await withClient(async (client) => {
          await client.db(testDb).collection(`${name}.catalog`).deleteOne({ path: "inner" });
        });
    }
    expect((await inner.search([1, 0])).map(({ document }) => document.id)).toEqual(["b"]);
    await inner.clear();
    await inner.upsert({ id: "c", content: "", embedding: [1, 0, 0] });

    expect(await inner.get("b")).toBeNull();
    const stored = await withClient(
      async (client) => await client.db(testDb).collection(name).find().project({ id: 1 }).toArray(),
    );
    expect(stored.map(({ id }) => id as unknown)).toEqual(["kept", "c"]);
    await store.close();
  });

  it("changes nothing when the server refuses a part of a change [mongodb.vector-write]", async () => {
    const name = newName();
    const validator = { id: { $ne: "refused" } };
    await withClient(async (client) => await client.db(testDb).createCollection(name, { validator }));
    const store = newStore({ collectionName: name });
    const document = (id: string) => ({ id, content: "", embedding: [1, 0], metadata: { id } });
    for (const id of ["a", "b"]) await store.upsert(document(id));
    // More than one request: the last document is refused in the second.
    const upsert = [...Array.from({ length: 1000 }, (_, index) => document(`d${index}`)), document("refused")];
    const change = { upsert, delete: ["a"], deleteWhere: { id: "b" } };
    await expect(store.write(change)).rejects.toMatchObject({ code: "storage_unavailable" });

    const found = await store.search([1, 0], { topK: 2000 });
    expect(found.map(({ document: { id } }) => id)).toEqual(["a", "b"]);
    await store.close();
  });

  it("takes 60 MB of documents in one change, and documents of the largest size [mongodb.vector-size]", async () => {
    const store = newStore();
    const metadata = { text: "\\".repeat(2 ** 17 - 10) };
    const upsert = Array.from({ length: 7 }, (_, index) => ({
      id: `d${index}`,
      content: "é".repeat(2 ** 22),
      embedding: [1, index],
      metadata,
    }));
    await store.write({ upsert });

    const found = await store.search([1, 0], { topK: 7 });
    expect(found.map(({ document }) => [document.id, document.content.length])).toEqual(
      upsert.map(({ id }) => [id, 2 ** 22]),
    );
    expect((await store.search([1, 0], { filter: { text: metadata.text }, topK: 1 }))[0]?.document.id).toBe("d0");
    await store.close();
  });

  it("says once which search it chose, and refuses one that the deployment does not have [mongodb.vector-search]", async () => {
    const info = vi.fn<Logger["info"]>();
    const store = newStore({ logger: { ...silent, info } });
    await Promise.all([store.initialize(), store.get("a"), store.search([1])]);
    expect(info.mock.calls).toEqual([["Each search compares all documents, in this process."]]);
    await store.close();

    const forced = newStore({ search: "vector" });
    const error: unknown = await forced.initialize().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "invalid_config" });
    expect(String(error)).toMatch(/needs MongoDB Vector Search.*search: "auto"/);
    await forced.close();
  });

  it("refuses a collection that MongoDB limits or compares by other rules", async () => {
    const name = newName();
    await withClient(async (client) => await client.db(testDb).createCollection(name, { capped: true, size: 4096 }));
    const store = new MongoDbVectorStore(serverUrl, { dbName: testDb, collectionName: name, logger: silent });

    await expect(store.initialize()).rejects.toMatchObject({
      code: "invalid_config",
      message: expect.stringContaining("Use another collectionName") as string,
    });
    await store.close();
  });
});

describe.skipIf(standaloneUrl === "")("MongoDbVectorStore on a standalone server", () => {
  afterAll(async () => await dropTestDb(standaloneUrl));

  it("warns once that a change of several documents is not one step [mongodb.vector-standalone]", async () => {
    const warn = vi.fn<Logger["warn"]>();
    const store = newStore({ logger: { ...silent, warn } }, standaloneUrl);
    await store.write({ upsert: [{ id: "a", content: "", embedding: [1] }] });
    await store.search([1]);
    await store.close();

    expect(warn.mock.calls).toEqual([[expect.stringMatching(/standalone server.*not one step.*mongod --replSet rs0/)]]);
  });

  it("counts each of the changes that several processes make at once [mongodb.vector-standalone]", async () => {
    const name = newName();
    const stores = [1, 2, 3].map(() => newStore({ collectionName: name }, standaloneUrl));
    const write = async (store: MongoDbVectorStore, id: string) =>
      await store.upsert({ id, content: "", embedding: [1, 0] });
    await Promise.all(
      stores.flatMap((store, from) =>
        Array.from({ length: 10 }, async (_, index) => await write(store, `${from} ${index}`)),
      ),
    );
    const entry = await withClient(
      async (client) => await client.db(testDb).collection(`${name}.catalog`).findOne({ path: "" }),
      standaloneUrl,
    );

    expect(entry?.["changes"]).toBe(30);
    expect(await stores[0]?.search([1, 0], { topK: 100 })).toHaveLength(30);
    await Promise.all(stores.map(async (store) => await store.close()));
  });

  it("stores before it removes, so that a reader never misses a document [mongodb.vector-standalone]", async () => {
    const store = newStore({}, standaloneUrl);
    const pieces = (n: number) =>
      Array.from({ length: 5 }, (_, index) => ({
        id: `${n} ${index}`,
        content: "",
        embedding: [1, 0],
        metadata: { n },
      }));
    await store.write({ upsert: pieces(0) });
    for (let n = 0; n < 10; n++) {
      const written = store.write({ deleteWhere: { n }, upsert: pieces(n + 1) }).then(() => true);
      do {
        expect((await store.search([1, 0])).length).toBeGreaterThanOrEqual(5);
      } while (!(await Promise.race([written, Promise.resolve(false)])));
    }

    expect((await store.search([1, 0])).map(({ document }) => document.metadata)).toEqual(
      Array.from({ length: 5 }, () => ({ n: 10 })),
    );
    await store.close();
  });
});
