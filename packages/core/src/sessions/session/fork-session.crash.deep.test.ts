import { describe, expect, inject, it } from "vitest";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { drivers } from "../storage/test/drivers.ts";
import { deaths, DyingDriver } from "../storage/test/dying-driver.ts";
import { namespaces } from "./session-keys.ts";
import { SessionStore } from "./session-store.ts";
import { turnNamed, withSession } from "./test/turns.ts";

const owner = { userId: "ada" };
const access = { owner };
/** The share of the calls at which a process dies. */
const oneIn = { few: 4, many: 1 }[inject("trials")];
const cases = drivers.flatMap(([offer, create]) => deaths.map((death) => ({ offer, create, death })));

describe.each(cases)("forks after a crash $death call, over storage with $offer", ({ create, death }) => {
  it("a new fork has all shared turns or does not exist, and a second attempt makes it [session.fork-crash]", async () => {
    for (let atCall = 1; ; atCall += oneIn) {
      const driver = await seeded(create);
      const isOver = await crash(driver, { atCall, death }, (dying) =>
        dying.fork("s", { seq: 2, forkId: "f" }, access),
      );

      const store = new SessionStore(driver);
      expect(await namesIn(store, "s")).toEqual(["a", "b", "c"]);
      expect([["a", "b"], undefined]).toContainEqual(await namesIn(store, "f"));
      await store.fork("s", { seq: 2, forkId: "f" }, access);
      await add(store, "f", "d");
      expect(await namesIn(store, "f")).toEqual(["a", "b", "d"]);
      await expectNothingLeft(driver, ["f", "s"]);
      if (isOver) return;
    }
  });

  it("a new fork that was interrupted leaves nothing once its source is deleted", async () => {
    for (let atCall = 1; ; atCall += oneIn) {
      const driver = await seeded(create);
      const isOver = await crash(driver, { atCall, death }, (dying) =>
        dying.fork("s", { seq: 2, forkId: "f" }, access),
      );

      const isMade = await new SessionStore(driver).has("f", access);
      await expectNothingLeft(driver, isMade ? ["s", "f"] : ["s"]);
      if (isOver) return;
    }
  });

  it("a fork keeps its turns if its source is deleted, and a second attempt deletes the source", async () => {
    for (let atCall = 1; ; atCall += oneIn) {
      const driver = await seeded(create);
      await new SessionStore(driver).fork("s", { seq: 2, forkId: "f" }, access);
      const isOver = await crash(driver, { atCall, death }, (dying) => dying.deleteSession("s", access));

      const store = new SessionStore(driver);
      expect(await namesIn(store, "f")).toEqual(["a", "b"]);
      // A session that is being deleted may have lost some of its turns.
      expect(["a", "b", "c"]).toEqual(expect.arrayContaining((await namesIn(store, "s")) ?? []));
      await store.deleteSession("s", access).catch(() => undefined);
      expect([await namesIn(store, "s"), await namesIn(store, "f")]).toEqual([undefined, ["a", "b"]]);
      await add(store, "f", "d");
      expect(await namesIn(store, "f")).toEqual(["a", "b", "d"]);
      await expectNothingLeft(driver, ["f"]);
      if (isOver) return;
    }
  });

  it("a source keeps its turns if its fork is deleted, and a second attempt deletes the fork", async () => {
    for (let atCall = 1; ; atCall += oneIn) {
      const driver = await seeded(create);
      await new SessionStore(driver).fork("s", { seq: 2, forkId: "f" }, access);
      const isOver = await crash(driver, { atCall, death }, (dying) => dying.deleteSession("f", access));

      const store = new SessionStore(driver);
      expect(await namesIn(store, "s")).toEqual(["a", "b", "c"]);
      expect([["a", "b"], undefined]).toContainEqual(await namesIn(store, "f"));
      await store.deleteSession("f", access).catch(() => undefined);
      expect([await namesIn(store, "s"), await namesIn(store, "f")]).toEqual([["a", "b", "c"], undefined]);
      await expectNothingLeft(driver, ["s"]);
      if (isOver) return;
    }
  });
});

describe.each(cases)("forks of a deleted session after a crash $death call, over storage with $offer", (crashes) => {
  it.each([["f"], ["g"], ["f", "g"], ["g", "f"]])(
    "leave nothing once they are deleted, in the order %s",
    async (...deleted) => {
      for (let atCall = 1; ; atCall += oneIn) {
        const driver = await seeded(crashes.create);
        const store = new SessionStore(driver);
        await store.fork("s", { seq: 3, forkId: "f" }, access);
        await store.fork("f", { seq: 2, forkId: "g" }, access);
        await store.deleteSession("s", access);
        let isOver = true;
        for (const id of deleted) {
          const plan = { atCall, death: crashes.death };
          isOver = (await crash(driver, plan, (dying) => dying.deleteSession(id, access))) && isOver;
          await store.deleteSession(id, access).catch(() => undefined);
        }

        const left = ["f", "g"].filter((id) => !deleted.includes(id));
        for (const id of left) expect(await namesIn(store, id)).toEqual(id === "f" ? ["a", "b", "c"] : ["a", "b"]);
        await expectNothingLeft(driver, left);
        if (isOver) return;
      }
    },
  );
});

/** Makes a storage with a session `s` of three turns. */
async function seeded(create: () => StorageDriver): Promise<StorageDriver> {
  const driver = create();
  for (const name of ["a", "b", "c"]) await add(new SessionStore(driver), "s", name);
  return driver;
}

/** Lets a process crash at a storage call. Returns true when it was done before. */
async function crash(
  driver: StorageDriver,
  plan: ConstructorParameters<typeof DyingDriver>[1],
  act: (store: SessionStore) => Promise<unknown>,
): Promise<boolean> {
  const dying = new DyingDriver(driver, plan);
  await act(new SessionStore(dying.driver)).catch(() => undefined);
  // Its leases have expired.
  for (const { key } of await driver.list(namespaces.locks)) await driver.delete(namespaces.locks, key);
  return !dying.hasDied;
}

async function add(store: SessionStore, sessionId: string, name: string): Promise<void> {
  await withSession(store, (session) => session.appendTurn(turnNamed(name)), { sessionId, owner });
}

/** Returns the names of a session's turns; undefined if there is no such session. */
async function namesIn(store: SessionStore, sessionId: string): Promise<string[] | undefined> {
  if (!(await store.has(sessionId, access))) return undefined;
  const { turns } = await store.readTurns(sessionId, access);
  return turns.map(({ runId }) => runId);
}

/** Deletes the sessions and expects that no record of a session, a turn or a fork is left. */
async function expectNothingLeft(driver: StorageDriver, sessionIds: readonly string[]): Promise<void> {
  const store = new SessionStore(driver);
  for (const sessionId of sessionIds) await store.deleteSession(sessionId, access);
  for (const namespace of [namespaces.sessions, namespaces.turns, namespaces.turnParts, namespaces.forks]) {
    expect([namespace, await driver.list(namespace)]).toEqual([namespace, []]);
  }
  expect((await store.listSessions(owner)).sessions).toEqual([]);
}
