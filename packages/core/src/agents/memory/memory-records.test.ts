import { describe, expect, it } from "vitest";
import { memoryEntryKey, namespaces, sessionKey } from "../../sessions/session/session-keys.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { SessionOwner } from "../../sessions/storage/session-owner.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { MemoryRecords, namesOwner } from "./memory-records.ts";
import type { FoundRecord } from "./memory-records.ts";
import { MemoryStorages } from "./memory-storages.ts";
import { seedOf } from "./seeds.ts";

const create = () => new InMemoryStorage();

function recordsIn(...drivers: StorageDriver[]): MemoryRecords {
  const storages = new MemoryStorages(undefined, create);
  for (const driver of drivers) storages.bind(driver);
  return new MemoryRecords(storages);
}

/** Stores a memory with its entry. */
async function remember(driver: StorageDriver, owner: SessionOwner, { id = "s", mark = "here", entry = true } = {}) {
  const key = sessionKey(owner, id);
  await driver.set(namespaces.memory, key, { mark });
  if (entry) await driver.set(namespaces.memoryById, memoryEntryKey(key), { v: 1 });
}

async function plant(driver: StorageDriver, mark: string, sessionId = "s"): Promise<void> {
  const { place } = seedOf({ driver, sessionId });
  await driver.set(place.namespace, place.key, { mark });
}

const markOf = (found: FoundRecord | undefined) => (found?.stored as { mark: string } | undefined)?.mark;

async function marksIn(records: MemoryRecords, id = "s"): Promise<(string | undefined)[]> {
  const marks = [];
  for await (const found of records.allWithId(id)) marks.push(markOf(found));
  return marks;
}

const ann = { userId: "ann" };
const owners: SessionOwner[] = [
  {},
  ann,
  { userId: "-" },
  { tenantId: "t" },
  { tenantId: "t", userId: "ann" },
  { userId: "ann", verified: false },
  { tenantId: "a/b*", userId: "é %*" },
];

describe("the memory of an owner", () => {
  it.each<[which: boolean[], found: number]>([
    [[true, true, true], 0],
    [[false, true, true], 1],
    [[false, false, true], 2],
    [[false, false, false], 0],
  ])("is in the first of several storages that has one, and else belongs in the first: %j", async (which, found) => {
    const drivers = which.map(create);
    for (const [index, driver] of drivers.entries()) if (which[index] === true) await remember(driver, ann);
    for (const driver of drivers) await remember(driver, { userId: "bob" });
    const { driver, place } = await recordsIn(...drivers).ofOwner("s", ann);

    expect(drivers.indexOf(driver as InMemoryStorage)).toBe(found);
    expect(place).toEqual({ namespace: namespaces.memory, key: sessionKey(ann, "s") });
  });
});

describe("namesOwner", () => {
  it.each<[object, boolean]>([
    [{}, false],
    [{ signal: undefined, storage: create(), takesSeed: true }, false],
    [{ userId: "ann" }, true],
    [{ userId: undefined }, true],
    [{ tenantId: undefined }, true],
    [{ verified: undefined }, true],
    [{ runId: "r" }, true],
  ])("reads who is meant from the names alone: %j", (scope, isNamed) => {
    expect(namesOwner(scope)).toBe(isNamed);
  });
});

describe("MemoryRecords.find", () => {
  it.each(owners)("finds the memory of the one owner %j", async (owner) => {
    const driver = create();
    await remember(driver, owner);
    await remember(driver, { userId: "bob" }, { id: "s2", mark: "another session" });
    const { owned, isShared, seed } = await recordsIn(driver).find("s");

    expect([markOf(owned), isShared, seed]).toEqual(["here", false, undefined]);
    expect(owned).toMatchObject({ driver, place: { namespace: "memory", key: sessionKey(owner, "s") } });
  });

  it.each(owners)("does not take the memories of %j in several storages for those of several owners", async (owner) => {
    const drivers = [create(), create(), create()];
    for (const [index, driver] of drivers.entries()) await remember(driver, owner, { mark: `in ${index}` });
    const records = recordsIn(...drivers);

    const { owned, isShared } = await records.find("s");
    expect([markOf(owned), isShared]).toEqual(["in 0", false]);
    expect(owned?.driver).toBe(drivers[0]);
    expect(markOf((await records.withId("s")).owned)).toBe("in 0");
  });

  it.each(owners.flatMap((one, index) => owners.slice(index + 1).map((other) => [one, other] as const)))(
    "tells that %j and %j share the id, in one storage or two",
    async (one, other) => {
      const [first, second] = [create(), create()];
      await remember(first, one);
      await remember(second, other);
      expect(await recordsIn(first, second).find("s")).toMatchObject({ isShared: true });
      await remember(first, other);
      expect(await recordsIn(first).find("s")).toMatchObject({ isShared: true });
      await expect(recordsIn(first).withId("s")).rejects.toMatchObject({ code: "conflict" });
    },
  );

  it("finds the first seed beside the memory, and takes no seed for an owner", async () => {
    const [first, second] = [create(), create()];
    await plant(first, "seed 0");
    await plant(second, "seed 1");
    expect(await recordsIn(first, second).find("s")).toMatchObject({
      owned: undefined,
      isShared: false,
      seed: { stored: { mark: "seed 0" } },
    });

    await remember(second, ann);
    expect(await recordsIn(first, second).find("s")).toMatchObject({
      owned: { stored: { mark: "here" } },
      isShared: false,
      seed: { stored: { mark: "seed 0" } },
    });
  });

  it("finds nothing of sessions whose ids begin so", async () => {
    const driver = create();
    for (const id of ["s2", "s/t", "s*", "S", "*"]) {
      await remember(driver, ann, { id });
      await plant(driver, "seed", id);
    }

    expect(await recordsIn(driver).find("s")).toEqual({ owned: undefined, isShared: false, seed: undefined });
  });
});

describe("MemoryRecords.allWithId", () => {
  it("yields each memory once, and the seed", async () => {
    const [first, second] = [create(), create()];
    for (const [index, owner] of owners.entries()) await remember(first, owner, { mark: `${index}` });
    await plant(first, "seed");
    await remember(second, {}, { mark: "second" });

    const marks = await marksIn(recordsIn(first, second));
    expect(marks).toHaveLength(owners.length + 2);
    expect(new Set(marks)).toEqual(new Set([...owners.keys()].map(String).concat("second", "seed")));
  });

  it("yields the memory of no owner without its entry too, which earlier releases did not write", async () => {
    const driver = create();
    await remember(driver, {}, { mark: "plain", entry: false });
    await remember(driver, ann, { entry: false });

    expect(await marksIn(recordsIn(driver))).toEqual(["plain"]);
  });

  it("removes an entry without a memory, and yields nothing for it", async () => {
    const driver = create();
    await driver.set(namespaces.memoryById, memoryEntryKey(sessionKey(ann, "s")), { v: 1 });
    await remember(driver, { userId: "bob" }, { mark: "bob" });

    expect(await marksIn(recordsIn(driver))).toEqual(["bob"]);
    expect((await driver.list(namespaces.memoryById)).map(({ key }) => key)).toEqual(["s/-/bob"]);
  });

  it("refuses an id that no session has", async () => {
    await expect(recordsIn(create()).find("")).rejects.toMatchObject({ code: "invalid_request" });
  });
});

describe("MemoryRecords.ofOwner", () => {
  it("returns the record in the first storage that has it, and the first of all without one", async () => {
    const drivers = [create(), create(), create()];
    const records = recordsIn(...drivers);
    expect((await records.ofOwner("s", ann)).driver).toBe(drivers[0]);
    await remember(drivers[2] as StorageDriver, ann);
    expect((await records.ofOwner("s", ann)).driver).toBe(drivers[2]);
    await remember(drivers[1] as StorageDriver, { tenantId: "t", userId: "ann" });
    expect((await records.ofOwner("s", ann)).driver).toBe(drivers[2]);
    await remember(drivers[1] as StorageDriver, ann);
    expect((await records.ofOwner("s", ann)).driver).toBe(drivers[1]);
  });

  it("returns the record in the storage of the agent that calls, wherever others are", async () => {
    const [first, second] = [create(), create()];
    await remember(first, ann);
    const records = recordsIn(first, second);
    const scope = { ...ann, storage: second };

    expect((await records.ofOwner("s", scope)).driver).toBe(second);
    expect(records.placesOf("s", scope)).toHaveLength(1);
    expect(records.placesOf("s", ann).map(({ driver }) => driver)).toEqual([first, second]);
  });

  it.each(owners)("has the place of the owner %j in each storage, with the signal", (owner) => {
    const { signal } = new AbortController();
    const place = { namespace: "memory", key: sessionKey(owner, "s") };
    const [first, second] = [create(), create()];

    expect(recordsIn(first, second).placesOf("s", { ...owner, signal })).toEqual([
      { driver: first, place, signal },
      { driver: second, place, signal },
    ]);
  });
});

describe("MemoryRecords.atKey", () => {
  it("returns the record of the only storage, and refuses where there are several", () => {
    const [first, second] = [create(), create()];
    const from = seedOf({ driver: first, sessionId: "s" });

    expect(recordsIn(first).atKey("k", from)).toMatchObject({
      driver: first,
      place: { namespace: "memory", key: "k" },
    });
    expect(() => recordsIn(first, second).atKey("k", from)).toThrow(expect.objectContaining({ code: "conflict" }));
  });
});

describe("MemoryRecords.lockId", () => {
  it("runs one work for an id at a time, in the order of the calls, and others beside it", async () => {
    const records = recordsIn(create());
    const gate = Promise.withResolvers<void>();
    const begun: string[] = [];
    const work = (name: string, until?: Promise<void>) => async () => {
      begun.push(name);
      await until;
    };
    const first = records.lockId("s", undefined, work("first", gate.promise));
    const second = records.lockId("s", undefined, work("second"));
    await records.lockId("other", undefined, work("other"));
    expect(begun).toEqual(["first", "other"]);
    gate.resolve();
    await Promise.all([first, second]);

    expect(begun).toEqual(["first", "other", "second"]);
  });

  it("gives the place of the seed in the first storage, and frees the id after a failure", async () => {
    const [first, second] = [create(), create()];
    const records = recordsIn(first, second);
    await expect(records.lockId("s", undefined, () => Promise.reject(new Error("no")))).rejects.toThrow("no");

    await records.lockId("s", undefined, async (seed) => {
      expect(seed).toEqual(seedOf({ driver: first, sessionId: "s" }));
      await Promise.resolve();
    });
    expect.assertions(2);
  });
});
