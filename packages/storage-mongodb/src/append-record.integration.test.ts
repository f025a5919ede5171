import { MongoFailures } from "@troupe-internal/mongodb";
import { createId } from "@troupe/core/kit";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { appendRecord } from "./append-record.ts";
import { readArguments } from "./mongo-options.ts";
import type { MongoStorage } from "./mongo-storage.ts";
import { openCollection } from "./open-collection.ts";
import type { OpenCollection } from "./open-collection.ts";
import { dropTestDb, newName, newStorage, serverUrl, testDb } from "./test/collections.ts";
import { holdUp } from "./test/hold-up.ts";
import type { HeldUp } from "./test/hold-up.ts";

const request = { namespace: "turns", keyPrefix: "s/", text: '"late"', lease: { key: "lease", token: 1 } };

describe.skipIf(serverUrl === "")("appendRecord under a lease", { timeout: 60_000 }, () => {
  let storage: MongoStorage;
  let collection: OpenCollection;
  beforeEach(async () => {
    const name = newName();
    storage = newStorage(name);
    const settings = readArguments({ uri: serverUrl, dbName: testDb, collectionName: name, options: {} });
    collection = await openCollection(settings, new MongoFailures(serverUrl));
    await storage.set("locks", "lease", { token: 1 });
  });
  afterEach(async () => void (await Promise.all([storage.close(), collection.close()])));
  afterAll(async () => await dropTestDb());

  /** Begins an append and stops it before its writes, or between them and their commit. */
  async function heldUpAppend(before: "writes" | "commit") {
    const held = Promise.withResolvers<HeldUp>();
    const appended = collection.inSession(async (mongo) => {
      held.resolve(
        before === "writes" ? holdUp(mongo.records, "bulkWrite") : holdUp(mongo.session, "commitTransaction"),
      );
      return await appendRecord(mongo, request);
    });
    const { reached, letGo } = await held.promise;
    await reached;
    return { appended, letGo };
  }

  const takeOver = async () => await storage.compareAndSet("locks", "lease", { token: 1 }, { token: 2 });

  it("makes a takeover wait that comes between the writes and their commit", async () => {
    const { appended, letGo } = await heldUpAppend("commit");
    const seenByNext = takeOver().then(async (isTaken) => [isTaken, await storage.list("turns")]);
    // Gives the takeover the time of 20 round trips to come first.
    for (let times = 0; times < 20; times++) expect(await storage.get("locks", "lease")).toEqual({ token: 1 });
    letGo();

    expect(await appended).toEqual({ key: "s/000000000001", seq: 1 });
    expect(await seenByNext).toEqual([true, [{ key: "s/000000000001", value: "late" }]]);
  });

  it("is refused when a takeover came after it read the lease and before its writes", async () => {
    const { appended, letGo } = await heldUpAppend("writes");
    expect(await takeOver()).toBe(true);
    letGo();

    await expect(appended).rejects.toMatchObject({ code: "conflict" });
    expect(await storage.list("turns")).toEqual([]);
  });

  it("succeeds when the lease was renewed in between", async () => {
    const { appended, letGo } = await heldUpAppend("writes");
    await storage.set("locks", "lease", { token: 1, until: 2 });
    letGo();

    expect((await appended).seq).toBe(1);
  });

  it("takes the next number when another append took the one that was free", async () => {
    const { appended, letGo } = await heldUpAppend("writes");
    await storage.append("turns", "s/", "first");
    letGo();

    expect((await appended).seq).toBe(2);
    expect((await storage.list("turns")).map(({ value }) => value)).toEqual(["first", "late"]);
  });

  it("does not change the value of the lease", async () => {
    await collection.inSession(async (mongo) => await appendRecord(mongo, request));

    expect(await storage.get("locks", "lease")).toEqual({ token: 1 });
    expect(await takeOver()).toBe(true);
  });

  it("never writes after the first write of a later holder", async () => {
    const storages = Array.from({ length: 4 }, () => storage);
    await Promise.all(storages.map(async (each) => await holdAndAppend(each)));
    const tokens = (await storage.list("turns", "s/")).map(({ value }) => (value as { token: number }).token);

    expect(tokens.length).toBeGreaterThan(0);
    expect(tokens).toEqual(tokens.toSorted((one, other) => one - other));
  });
});

/** Takes the lease over and appends under it until another holder has taken it, five times. */
async function holdAndAppend(storage: MongoStorage): Promise<void> {
  const holder = createId();
  for (let times = 0; times < 5;) {
    const lease = (await storage.get("locks", "lease")) as { token: number };
    const token = lease.token + 1;
    if (!(await storage.compareAndSet("locks", "lease", lease, { token, holder }))) continue;
    times += 1;
    await appendWhileHeld(storage, token);
  }
}

async function appendWhileHeld(storage: MongoStorage, token: number): Promise<void> {
  try {
    for (let turn = 0; turn < 3; turn++) {
      await storage.append("turns", "s/", { token, turn }, { ifHeld: { key: "lease", token } });
    }
  } catch (error) {
    if ((error as { code?: string }).code !== "conflict") throw error;
  }
}
