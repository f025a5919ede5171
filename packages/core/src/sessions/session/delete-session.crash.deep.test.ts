import { describe, expect, inject, it } from "vitest";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { drivers } from "../storage/test/drivers.ts";
import { DyingDriver } from "../storage/test/dying-driver.ts";
import { atEachDeath } from "../storage/test/each-death.ts";
import type { DeathScene } from "../storage/test/each-death.ts";
import { namespaces } from "./session-keys.ts";
import { SessionStore } from "./session-store.ts";
import { appendAll, turnNamed, withSession } from "./test/turns.ts";

const owner = { userId: "ünal" };
const access = { owner };
/** The share of the calls at which a process dies, and of the states after that in which the next run dies, too. */
const [oneIn, seconds] = ({ few: [5, "none"], many: [1, "near"] } as const)[inject("trials")];
const whole = ["a", "b", "c"];

describe.each(drivers)("a session whose deletion was interrupted, over storage with %s", (_offer, create) => {
  it("is there for every reader or for none, and the next deletion removes the rest [session.delete-crash]", async () => {
    const scene: DeathScene = {
      create: () => seeded(create),
      act: deleteIfThere,
      expire: expireLeases,
      left: async (driver) => {
        const store = new SessionStore(driver);
        await expectWholeOrGone(store);
        expect(await namesIn(store, "f")).toEqual(["a", "b"]);
      },
      done: async (driver) => {
        const store = new SessionStore(driver);
        expect(await expectWholeOrGone(store)).toBe("gone");
        expect(await namesIn(store, "f")).toEqual(["a", "b"]);
        await store.deleteSession("f", access);
        await expectNothingLeft(driver);
      },
    };
    await atEachDeath(scene, seconds, oneIn);
  });

  it("begins anew with its next run, or goes on, even if that run crashes [session.delete-crash]", async () => {
    for (const driver of await interrupted(create)) {
      const found = await namesIn(new SessionStore(driver), "s");
      await atEachDeath(
        {
          create: () => copyOf(driver, create),
          act: async (other) => await add(new SessionStore(other), "s", "d"),
          expire: expireLeases,
          left: async (other) => {
            const names = await namesIn(new SessionStore(other), "s");
            const kept = found ?? [];
            expect([found, kept, [...kept, "d"], [...kept, "d", "d"]]).toContainEqual(names);
            expect(await namesIn(new SessionStore(other), "f")).toEqual(["a", "b"]);
          },
          done: async (other) => {
            const store = new SessionStore(other);
            expect((await namesIn(store, "s"))?.slice(0, 4)).toEqual(expect.arrayContaining([...(found ?? []), "d"]));
            // A session that begins anew has no memory, which may consist of several records.
            expect(await memoriesOf(other)).toHaveLength(found === undefined ? 0 : 3);
            for (const id of ["s", "f"]) await store.deleteSession(id, access);
            await expectNothingLeft(other);
          },
        },
        "none",
        oneIn,
      );
    }
  });

  it("goes with its user", async () => {
    for (const driver of await interrupted(create)) {
      await new SessionStore(driver).deleteUser(owner.userId);
      await expectNothingLeft(driver);
    }
  });

  it("is told to be deleted to all who ask for it, and takes no changes", async () => {
    const driver = await marked(create);
    const store = new SessionStore(driver);
    const told = { code: "not_found", message: expect.stringMatching(/^Session "s" was deleted, .* Delete it again/) };
    const record = await driver.get(namespaces.sessions, "-/%C3%BCnal/s");

    await expect(store.readSession("s", access)).rejects.toMatchObject(told);
    await expect(store.readTurns("s", access)).rejects.toMatchObject(told);
    await expect(store.readTurnPart("s", { seq: 1, index: 0 }, access)).rejects.toMatchObject(told);
    await expect(store.renameSession("s", "Mine", access)).rejects.toMatchObject(told);
    await expect(store.setModelTitle("s", "Mine", access)).rejects.toMatchObject(told);
    await expect(store.fork("s", { seq: 1, forkId: "g" }, access)).rejects.toMatchObject(told);
    const inUse = { code: "conflict", message: expect.stringContaining("choose another forkId") };
    await expect(store.fork("f", { seq: 1, forkId: "s" }, access)).rejects.toMatchObject(inUse);
    expect(await store.has("s", access)).toBe(false);
    expect(await store.findTurn("s", "a", access)).toBeUndefined();
    expect((await store.listSessions(owner)).sessions.map(({ sessionId }) => sessionId)).toEqual(["f"]);
    expect(await driver.get(namespaces.sessions, "-/%C3%BCnal/s")).toEqual(record);
  });

  it("loses no more turns than it has lost when turns of it are to be deleted, but goes for good", async () => {
    const driver = await marked(create);
    const store = new SessionStore(driver);
    await expect(store.deleteTurns("s", 2, access)).rejects.toMatchObject({ code: "not_found" });
    await expect(store.deleteSession("s", access)).rejects.toMatchObject({ code: "not_found" });
    expect(await namesIn(store, "f")).toEqual(["a", "b"]);
    await store.deleteSession("f", access);
    await expectNothingLeft(driver);
  });

  it("does not keep its forks from being forked", async () => {
    const driver = await marked(create);
    const store = new SessionStore(driver);
    await store.fork("f", { seq: 1, forkId: "g" }, access);
    expect([await namesIn(store, "f"), await namesIn(store, "g")]).toEqual([["a", "b"], ["a"]]);
    for (const id of ["f", "g"]) await store.deleteSession(id, access);
    await expectNothingLeft(driver);
  });

  it("does not wait for the answer that a run of it waited for", async () => {
    const driver = await seeded(create);
    await new SessionStore(driver).noteWait("s", "r", access);
    await failingDeletion(driver);
    const store = new SessionStore(driver);
    expect(await withSession(store, async (session) => session.waitingRun, { sessionId: "s", owner })).toBeUndefined();
    expect(await namesIn(store, "s")).toEqual([]);
  });

  it("is a new session to a run that believes its id to be new", async () => {
    const driver = await marked(create);
    const store = new SessionStore(driver);
    const session = await store.open("s", { owner, isNew: true });
    await session.appendTurn(turnNamed("d"));
    session.release();
    expect([await namesIn(store, "s"), await namesIn(store, "f")]).toEqual([["d"], ["a", "b"]]);
    for (const id of ["s", "f"]) await store.deleteSession(id, access);
    await expectNothingLeft(driver);
  });
});

/** Makes a storage with a session of three turns and of a memory in several records, and a fork of the session. */
async function seeded(create: () => StorageDriver): Promise<StorageDriver> {
  const driver = create();
  const store = new SessionStore(driver);
  await appendAll(store, whole, access);
  await store.fork("s", { seq: 2, forkId: "f" }, access);
  for (const part of ["", "/window/1", "/window/2"]) {
    await driver.set(namespaces.memory, `-/%C3%BCnal/s${part}`, { v: 1 });
  }
  return driver;
}

/** Makes a storage for each state in which a process leaves it that crashes while it deletes the session, or for some. */
async function interrupted(create: () => StorageDriver): Promise<StorageDriver[]> {
  const left = new Map<string, StorageDriver>();
  for (let atCall = 1; ; atCall += oneIn) {
    const driver = await seeded(create);
    const dying = new DyingDriver(driver, { atCall, death: "after it" });
    await new SessionStore(dying.driver).deleteSession("s", access).catch(() => undefined);
    await expireLeases(driver);
    if (!dying.hasDied) return [...left.values()];
    // Most calls only read. Times and random ids differ between the attempts.
    const records = await Promise.all(Object.values(namespaces).map((namespace) => driver.list(namespace)));
    left.set(JSON.stringify(records).replaceAll(/\d{13,}|[\da-f-]{36}/g, "x"), driver);
  }
}

/** Makes a storage with a session that is marked as deleted, and of which nothing is removed. */
async function marked(create: () => StorageDriver): Promise<StorageDriver> {
  const driver = await seeded(create);
  await failingDeletion(driver);
  return driver;
}

/** Deletes the session while the storage fails to read which forks there are. */
async function failingDeletion(driver: StorageDriver): Promise<void> {
  const failing = new Proxy(driver, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...args: unknown[]): unknown =>
        name === "list" && args[0] === namespaces.forks
          ? Promise.reject(new Error("The storage fails, as planned by the test."))
          : (Reflect.apply(member, target, args) as unknown);
    },
  });
  await expect(new SessionStore(failing).deleteSession("s", access)).rejects.toThrow("planned by the test");
  await expireLeases(driver);
}

async function copyOf(driver: StorageDriver, create: () => StorageDriver): Promise<StorageDriver> {
  const copy = create();
  for (const namespace of Object.values(namespaces)) {
    for (const { key, value } of await driver.list(namespace)) await copy.set(namespace, key, value);
  }
  return copy;
}

async function deleteIfThere(driver: StorageDriver): Promise<void> {
  await new SessionStore(driver).deleteSession("s", access).catch((error: unknown) => {
    if ((error as { code?: string }).code !== "not_found") throw error;
  });
}

async function expireLeases(driver: StorageDriver): Promise<void> {
  for (const { key } of await driver.list(namespaces.locks)) await driver.delete(namespaces.locks, key);
}

/** Expects that all readers find the whole session, or that none finds it. */
async function expectWholeOrGone(store: SessionStore): Promise<"whole" | "gone"> {
  const { sessions } = await store.listSessions(owner);
  const listed = sessions.filter(({ sessionId }) => sessionId === "s");
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: { code?: string }) => error.code,
    );
  const read = [await codeOf(store.readSession("s", access)), await codeOf(store.readTurns("s", access))];
  const found = { read, names: await namesIn(store, "s"), listed: listed.map(({ turns }) => turns) };
  expect([
    { read: [undefined, undefined], names: whole, listed: [3] },
    { read: ["not_found", "not_found"], names: undefined, listed: [] },
  ]).toContainEqual(found);
  return found.names === undefined ? "gone" : "whole";
}

async function namesIn(store: SessionStore, sessionId: string): Promise<string[] | undefined> {
  if (!(await store.has(sessionId, access))) return undefined;
  const { turns } = await store.readTurns(sessionId, access);
  return turns.map(({ runId }) => runId);
}

async function add(store: SessionStore, sessionId: string, name: string): Promise<void> {
  await withSession(store, (session) => session.appendTurn(turnNamed(name)), { sessionId, owner });
}

async function memoriesOf(driver: StorageDriver): Promise<string[]> {
  return (await driver.list(namespaces.memory)).map(({ key }) => key);
}

async function expectNothingLeft(driver: StorageDriver): Promise<void> {
  for (const namespace of ["sessions", "turns", "turnParts", "forks", "memory", "memoryById"] as const) {
    expect([namespace, await driver.list(namespaces[namespace])]).toEqual([namespace, []]);
  }
  expect((await new SessionStore(driver).listSessions(owner)).sessions).toEqual([]);
}
