import { SessionStore } from "../../sessions/session/session-store.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { assert, rejectsWith } from "./assert.ts";
import type { ConformanceCases } from "./check-conformance.ts";
import { plainTurn, storeTurns } from "./session-turns.ts";

const owner = { userId: "ada" };
const at = { sessionId: "s", owner };

/**
 * Conformance suite for a `StorageDriver` as the storage of a `SessionStore`: turns that are deleted from a session.
 */
export const sessionTurnDeletionCases = {
  "deletes the turns from a number on, and never uses their numbers again": async (driver) => {
    const store = new SessionStore(driver);
    await storeTurns(store, { ...at, turns: 5 });
    await store.deleteTurns("s", 3, { owner });
    assert.deepEqual(await numbersOf(store), [1, 2]);
    assert.equal((await store.readSession("s", { owner })).turns, 2);
    assert.deepEqual(await loadNumbers(store, 50), [1, 2]);

    await storeTurns(store, { ...at, turns: 2 });

    assert.deepEqual(await numbersOf(store), [1, 2, 6, 7]);
    assert.deepEqual(await loadNumbers(store, 3), [2, 6, 7]);
    assert.equal((await store.readSession("s", { owner })).turns, 4);
  },
  "deletes again, over what was deleted before": async (driver) => {
    const store = new SessionStore(driver);
    await storeTurns(store, { ...at, turns: 4 });
    for (const from of [4, 5, 3, 2]) {
      await store.deleteTurns("s", from, { owner });
      if (from > 3) await storeTurns(store, at);
    }
    assert.deepEqual(await numbersOf(store), [1]);
    await storeTurns(store, { ...at, turns: 2 });

    assert.deepEqual(await numbersOf(store), [1, 7, 8]);
    assert.deepEqual(await loadNumbers(store, 2), [7, 8]);
    assert.equal((await store.readSession("s", { owner })).turns, 3);
  },
  "keeps nothing of what the turns held": async (driver) => {
    const store = new SessionStore(driver);
    await storeTurns(store, at);
    await storeTurns(store, { ...at, input: "A secret." });
    await store.deleteTurns("s", 2, { owner });

    const records = [...(await driver.list("turns")), ...(await driver.list("sessions"))];
    assert.ok(!JSON.stringify(records).includes("secret"));
    assert.deepEqual(await numbersOf(store), [1]);
  },
  "makes a new title when all turns were deleted, unless the user has set one": async (driver) => {
    const store = new SessionStore(driver);
    await storeTurns(store, { ...at, input: "The first." });
    await store.deleteTurns("s", 1, { owner });
    assert.equal((await store.readSession("s", { owner })).title, undefined);
    await storeTurns(store, { ...at, input: "The second." });
    assert.equal((await store.readSession("s", { owner })).title, "The second.");
    await store.renameSession("s", "Mine", { owner });
    await store.deleteTurns("s", 2, { owner });

    assert.equal((await store.readSession("s", { owner })).title, "Mine");
    assert.deepEqual(
      (await store.listSessions(owner)).sessions.map(({ sessionId, turns }) => [sessionId, turns]),
      [["s", 0]],
    );
  },
  "refuses while a run is under way": async (driver) => {
    const store = new SessionStore(driver);
    await storeTurns(store, { ...at, turns: 2 });
    const session = await store.open("s", { owner });
    await rejectsWith(store.deleteTurns("s", 1, { owner }), "conflict");
    await session.appendTurn(plainTurn("Still there."));
    session.release();

    assert.deepEqual(await numbersOf(store), [1, 2, 3]);
    await store.deleteTurns("s", 3, { owner });
    assert.deepEqual(await numbersOf(store), [1, 2]);
  },
  "finishes a deletion of the session that failed, by the next deletion or run": async (driver) => {
    for (const next of ["deletion", "run"]) {
      const store = new SessionStore(driver);
      await storeTurns(store, { ...at, turns: 3 });
      await store.fork("s", { seq: 2, forkId: "f" }, { owner });
      await assert.rejects(new SessionStore(withoutRemovals(driver)).deleteSession("s", { owner }), /fails/);
      await rejectsWith(store.readTurns("s", { owner }), "not_found");
      await rejectsWith(store.fork("s", { seq: 1, forkId: "g" }, { owner }), "not_found");
      if (next === "run") await storeTurns(store, at);
      if (next === "run") assert.deepEqual(await numbersOf(store), [1]);
      await store.deleteSession("s", { owner });

      assert.deepEqual(await numbersOf(store, "f"), [1, 2]);
      await store.deleteSession("f", { owner });
      assert.deepEqual([await driver.list("sessions"), await driver.list("turns")], [[], []]);
    }
  },
  "deletes nothing for a number that no turn has, and nothing of another owner's": async (driver) => {
    const store = new SessionStore(driver);
    await storeTurns(store, { ...at, turns: 2 });
    await store.deleteTurns("s", 3, { owner });
    for (const from of [0, -1, 1.5, NaN, 1e12]) {
      await rejectsWith(store.deleteTurns("s", from, { owner }), "invalid_request");
    }
    for (const other of [{}, { userId: "bob" }, { ...owner, verified: false }, { ...owner, tenantId: "t" }]) {
      await rejectsWith(store.deleteTurns("s", 1, { owner: other }), "not_found");
    }

    assert.deepEqual(await numbersOf(store), [1, 2]);
    await storeTurns(store, at);
    assert.deepEqual(await numbersOf(store), [1, 2, 3]);
  },
  "reads pages over deleted turns": async (driver) => {
    const store = new SessionStore(driver);
    await storeTurns(store, { ...at, turns: 9 });
    await store.deleteTurns("s", 3, { owner });
    await storeTurns(store, { ...at, turns: 3 });

    const pages: number[][] = [];
    for (let after: number | undefined = 0; after !== undefined;) {
      const page = await store.readTurns("s", { owner, limit: 2, after });
      pages.push(page.turns.map(({ seq }) => seq));
      after = page.next;
    }
    assert.deepEqual(pages, [[1, 2], [10, 11], [12]]);
  },
} satisfies ConformanceCases<StorageDriver>;

/** Returns the driver with a fault: turns cannot be listed, so that they cannot be removed. */
function withoutRemovals(driver: StorageDriver): StorageDriver {
  return new Proxy(driver, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return async (...args: unknown[]): Promise<unknown> => {
        if (name === "list" && args[0] === "turns") throw new Error("The storage fails, as planned by the case.");
        return (await Reflect.apply(member, target, args)) as unknown;
      };
    },
  });
}

async function numbersOf(store: SessionStore, sessionId = "s"): Promise<number[]> {
  const { turns } = await store.readTurns(sessionId, { owner, limit: 100 });
  return turns.map(({ seq }) => seq);
}

async function loadNumbers(store: SessionStore, count: number): Promise<number[]> {
  const session = await store.open("s", { owner });
  try {
    return (await session.loadTurns(count)).map(({ seq }) => seq);
  } finally {
    session.release();
  }
}
