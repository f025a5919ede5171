import { SessionStore } from "../../sessions/session/session-store.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { assert, rejectsWith } from "./assert.ts";
import type { ConformanceCases } from "./check-conformance.ts";
import { plainTurn, storeTurns } from "./session-turns.ts";

const owner = { userId: "ada" };

/** Conformance suite for a `StorageDriver` as the storage of a `SessionStore`: titles of sessions. */
export const sessionTitleCases = {
  "gives a session its first message as title, and keeps it": async (driver) => {
    const store = new SessionStore(driver);
    await storeTurns(store, { sessionId: "s", owner, input: "Plan a\ntrip." });
    await storeTurns(store, { sessionId: "s", owner, input: "Something else." });

    assert.equal((await store.readSession("s", { owner })).title, "Plan a trip.");
    assert.equal((await store.listSessions(owner)).sessions[0]?.title, "Plan a trip.");
  },
  "keeps a title that the user has set, whatever comes later": async (driver) => {
    const store = new SessionStore(driver);
    await storeTurns(store, { sessionId: "s", owner });
    const renamed = await store.renameSession("s", " My trip ", { owner });
    assert.deepEqual(renamed, await store.readSession("s", { owner }));
    await store.setModelTitle("s", "A model's title", { owner });
    await storeTurns(store, { sessionId: "s", owner });

    assert.equal((await store.readSession("s", { owner })).title, "My trip");
    assert.equal((await store.readSession("s", { owner })).turns, 2);
  },
  "renames a session while a run is under way, and loses neither the title nor the turn": async (driver) => {
    const store = new SessionStore(driver);
    for (const sessionId of ["new", "old", "old"]) {
      const session = await store.open(sessionId, { owner });
      await store.renameSession(sessionId, `Title of ${sessionId}`, { owner });
      await session.appendTurn(plainTurn("Hello."));
      session.release();
    }

    const { sessions } = await store.listSessions(owner);
    assert.deepEqual(
      sessions.map(({ title, turns }) => ({ title, turns })),
      [
        { title: "Title of old", turns: 2 },
        { title: "Title of new", turns: 1 },
      ],
    );
  },
  "leaves a renamed session at its place in the list": async (driver) => {
    const store = new SessionStore(driver);
    for (const sessionId of ["a", "b"]) await storeTurns(store, { sessionId, owner });
    const { updatedAt } = await store.readSession("a", { owner });
    await store.renameSession("a", "First", { owner });

    const { sessions } = await store.listSessions(owner);
    assert.deepEqual(
      sessions.map(({ sessionId }) => sessionId),
      ["b", "a"],
    );
    assert.equal(sessions[1]?.updatedAt, updatedAt);
  },
  "replaces a title made from the first message by a model's": async (driver) => {
    const store = new SessionStore(driver);
    await storeTurns(store, { sessionId: "s", owner });
    await store.setModelTitle("s", "Hello", { owner });
    await store.setModelTitle("s", "Hello again", { owner });

    assert.equal((await store.readSession("s", { owner })).title, "Hello");
  },
  "renames for the session's owner alone": async (driver) => {
    const store = new SessionStore(driver);
    await storeTurns(store, { sessionId: "s", owner });

    for (const other of [{}, { userId: "bob" }, { ...owner, verified: false }, { ...owner, tenantId: "t" }]) {
      await rejectsWith(store.renameSession("s", "Mine", { owner: other }), "not_found");
    }
    await rejectsWith(store.renameSession("s", "", { owner }), "invalid_request");
    await rejectsWith(store.renameSession("t", "Mine", { owner }), "not_found");
    assert.equal((await store.readSession("s", { owner })).title, "Hello.");
    assert.equal((await driver.list("sessions")).length, 1);
  },
} satisfies ConformanceCases<StorageDriver>;
