import { describe, expect, it } from "vitest";
import { sessionKey } from "../../sessions/session/session-keys.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { MapStorage } from "../../sessions/storage/test/map-storage.ts";
import { emptyMemory, readMemoryRecord, toStoredMemory } from "./memory-record.ts";
import type { MemoryRecord } from "./memory-record.ts";
import type { LockedRecord } from "./record-lock.ts";
import { isSeedKey, removeTakenSeed, seedOf, takeSeed } from "./seeds.ts";
import { exchange } from "./test/conversation.ts";

const recordOf = (part: Partial<MemoryRecord>): MemoryRecord => ({ ...emptyMemory, additionId: "x", ...part });

/** A storage with a seed and a memory of the session `s`, where they are given. */
async function stored({ seed, memory }: { seed?: MemoryRecord; memory?: MemoryRecord } = {}) {
  const driver = new MapStorage();
  const seedPlace = seedOf({ driver, sessionId: "s", signal: undefined });
  const target = memoryOf(driver, "u");
  const write = async ({ place }: LockedRecord, record: MemoryRecord | undefined) =>
    record && (await driver.set(place.namespace, place.key, toStoredMemory(record)));
  await write(seedPlace, seed);
  await write(target, memory);
  return { driver, seed: seedPlace, target, write };
}

function memoryOf(driver: StorageDriver, userId: string): LockedRecord {
  return { driver, place: { namespace: "memory", key: sessionKey({ userId }, "s") }, signal: undefined };
}

async function read({ driver, place }: LockedRecord): Promise<MemoryRecord | null> {
  const value = await driver.get(place.namespace, place.key);
  return value === null ? null : readMemoryRecord(value, place);
}

describe("the place of a seed", () => {
  it("is beside the entries of the session's memories, under a name that no owner has", () => {
    const { signal } = new AbortController();
    const driver = new MapStorage();

    expect(seedOf({ driver, sessionId: "a/b", signal })).toStrictEqual({
      driver,
      place: { namespace: "memory-by-id", key: "a%2Fb/*" },
      signal,
    });
    expect(
      [
        { namespace: "memory-by-id", key: "a/*" },
        { namespace: "memory-by-id", key: "a/-/u" },
        { namespace: "memory-by-id", key: "a/-/u*" },
        { namespace: "memory", key: "a/*" },
      ].map(isSeedKey),
    ).toEqual([true, false, false, false]);
  });
});

describe("takeSeed", () => {
  const seed = recordOf({
    messages: exchange("seed"),
    pending: ["p1"],
    summaries: ["s1"],
    hasLostSteps: true,
    through: 4,
  });

  it("finds none where there is none, and writes nothing", async () => {
    const { driver, seed: place, target } = await stored();

    expect(await takeSeed(place, target)).toBe(false);
    expect(driver.records.size).toBe(0);
  });

  it("moves the seed into a new memory, which gets its entry, and leaves its name on the seed", async () => {
    const { driver, seed: place, target } = await stored({ seed });

    expect(await takeSeed(place, target)).toBe(true);
    expect(await read(target)).toStrictEqual({
      ...emptyMemory,
      messages: seed.messages,
      pending: ["p1"],
      summaries: ["s1"],
      hasLostSteps: true,
      indexed: true,
      hasSeed: true,
    });
    expect(await read(place)).toStrictEqual({ ...seed, takenBy: target.place.key });
    expect((await driver.list("memory-by-id")).map(({ key }) => key)).toEqual(["s/*", "s/-/u"]);
  });

  it("puts the seed before what the session has said", async () => {
    const memory = recordOf({
      messages: exchange("own"),
      pending: ["p2"],
      summaries: ["s2"],
      through: 2,
      additionId: "own",
    });
    const { seed: place, target } = await stored({ seed, memory });

    expect(await takeSeed(place, target)).toBe(true);
    expect(await read(target)).toStrictEqual({
      ...memory,
      messages: [...seed.messages, ...memory.messages],
      pending: ["p1", "p2"],
      summaries: ["s1", "s2"],
      indexed: true,
      hasSeed: true,
    });
  });

  it("takes it once, also when it is repeated", async () => {
    const { seed: place, target } = await stored({ seed });
    await takeSeed(place, target);
    const first = await read(target);

    expect(await takeSeed(place, target)).toBe(true);
    expect(await read(target)).toStrictEqual(first);
  });

  it("goes on where an earlier call has named the session, and takes none that names another", async () => {
    const own = await stored({ seed: { ...seed, takenBy: sessionKey({ userId: "u" }, "s") } });
    const foreign = await stored({ seed: { ...seed, takenBy: sessionKey({ userId: "v" }, "s") } });

    expect(await takeSeed(own.seed, own.target)).toBe(true);
    expect((await read(own.target))?.messages).toEqual(seed.messages);
    expect(await takeSeed(foreign.seed, foreign.target)).toBe(false);
    expect(await read(foreign.target)).toBeNull();
    expect((await read(foreign.seed))?.takenBy).toBe(sessionKey({ userId: "v" }, "s"));
  });

  it("goes to one of two sessions that want it at once", async () => {
    const { driver, seed: place, target } = await stored({ seed });
    const other = memoryOf(driver, "v");
    const taken = await Promise.all([takeSeed(place, target), takeSeed(place, other)]);

    expect(taken).toEqual([true, false]);
    expect(await read(other)).toBeNull();
  });

  it("does not give a memory the seed again that was removed meanwhile", async () => {
    const { driver, seed: place, target } = await stored({ seed });
    let reads = 0;
    const removing = Object.assign(new MapStorage(), { records: driver.records });
    removing.get = async (namespace, key) => {
      if (key === place.place.key && ++reads === 3) await driver.delete(namespace, key);
      return await driver.get(namespace, key);
    };

    await takeSeed({ ...place, driver: removing }, { ...target, driver: removing });
    expect([reads, await read(target)]).toEqual([3, null]);
  });

  it("refuses a damaged seed, and aborts with its signal", async () => {
    const { driver, seed: place, target } = await stored();
    await driver.set(place.place.namespace, place.place.key, { v: 1 });

    await expect(takeSeed(place, target)).rejects.toMatchObject({ code: "storage_corrupt" });
    await expect(takeSeed({ ...place, signal: AbortSignal.abort() }, target)).rejects.toMatchObject({
      code: "cancelled",
    });
  });
});

describe("removeTakenSeed", () => {
  it("removes the seed that the memory has taken, from whichever storage, and no other", async () => {
    const takenBy = sessionKey({ userId: "u" }, "s");
    const storages = await Promise.all([
      stored({ seed: recordOf({ takenBy: sessionKey({ userId: "v" }, "s") }) }),
      stored({ seed: recordOf({}) }),
      stored({ seed: recordOf({ takenBy }) }),
      stored(),
    ]);
    const [first] = storages;
    await removeTakenSeed(
      storages.map(({ driver }) => driver),
      first.target,
    );

    expect(await Promise.all(storages.map(async ({ seed }) => (await read(seed)) !== null))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
