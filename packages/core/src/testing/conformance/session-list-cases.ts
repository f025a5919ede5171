import { SessionStore } from "../../sessions/session/session-store.ts";
import type { SessionOwner } from "../../sessions/storage/session-owner.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { assert, rejectsWith } from "./assert.ts";
import type { ConformanceCases } from "./check-conformance.ts";
import { storeTurns } from "./session-turns.ts";

const ada = { userId: "ada" };

/** Conformance suite for a `StorageDriver` as the storage of a `SessionStore`: the list of a user's sessions. */
export const sessionListCases = {
  "lists sessions by their newest turn, page by page, each once": async (driver) => {
    const store = new SessionStore(driver);
    for (const sessionId of ["b", "d", "a", "c", "e", "b"]) await storeTurns(store, { sessionId, owner: ada });

    assert.deepEqual(await listIds(store, ada, 2), [["b", "e"], ["c", "a"], ["d"]]);
    assert.deepEqual(await listIds(store, ada, 5), [["b", "e", "c", "a", "d"]]);
    assert.deepEqual(await listIds(store, ada, 1), [["b"], ["e"], ["c"], ["a"], ["d"]]);
  },
  "ends with its last page, also a full one, of sessions and of turns, in groups of any size": async (driver) => {
    const store = new SessionStore(driver);
    const [owner, count] = [ada, 4];
    for (let index = 0; index < count; index++)
      await storeTurns(store, { sessionId: `s${index}`, owner, turns: count });
    for (const limit of [1, 2, 3, 4, 5]) {
      const sizes = Array.from({ length: Math.ceil(count / limit) }, (_, page) =>
        Math.min(limit, count - page * limit),
      );
      const listed = await listIds(store, owner, limit);
      assert.deepEqual(
        listed.map((ids) => ids.length),
        sizes,
      );
      for (const take of [undefined, () => true]) {
        const pages: number[][] = [];
        for (let after: number | undefined = 0; after !== undefined && pages.length < 100;) {
          const page = await store.readTurns("s0", { owner, limit, after, ...(take !== undefined && { take }) });
          pages.push(page.turns.map(({ seq }) => seq));
          after = page.next;
        }
        assert.deepEqual(
          pages.map((page) => page.length),
          sizes,
        );
        assert.deepEqual(pages.flat(), [1, 2, 3, 4]);
      }
    }
  },
  "tells what is known of each session": async (driver) => {
    const store = new SessionStore(driver);
    await storeTurns(store, { sessionId: "s", owner: ada, turns: 2 });

    const { sessions } = await store.listSessions(ada);

    assert.deepEqual(sessions, [await store.readSession("s", { owner: ada })]);
    assert.equal(sessions[0]?.turns, 2);
  },
  "lists every session that gets no turn meanwhile once, and no session twice, while others get turns": async (
    driver,
  ) => {
    const store = new SessionStore(driver);
    const ids = Array.from({ length: 7 }, (_, index) => `s${index}`);
    for (const sessionId of ids) await storeTurns(store, { sessionId, owner: ada });
    const pages: string[][] = [];
    let after: string | undefined;
    for (const busy of ["s1", "s6", "new"]) {
      const { sessions, next } = await store.listSessions(ada, { limit: 2, after });
      pages.push(sessions.map(({ sessionId }) => sessionId));
      after = next;
      await storeTurns(store, { sessionId: busy, owner: ada });
    }

    assert.deepEqual(pages, [
      ["s6", "s5"],
      ["s4", "s3"],
      ["s2", "s0"],
    ]);
    assert.equal(after, undefined);
  },
  "lists the sessions of one owner alone": async (driver) => {
    const store = new SessionStore(driver);
    const owners = [ada, { userId: "ada", tenantId: "t" }, { userId: "ada", verified: false }, { userId: "ad" }, {}];
    for (const [index, owner] of owners.entries()) await storeTurns(store, { sessionId: `s${index}`, owner });
    await storeTurns(store, { sessionId: "s0#member", owner: ada });

    for (const [index, owner] of owners.slice(0, -1).entries()) {
      assert.deepEqual(await listIds(store, owner, 10), [[`s${index}`]]);
    }
  },
  "lists a deleted session no more, and one that began anew once": async (driver) => {
    const store = new SessionStore(driver);
    for (const sessionId of ["a", "b", "c"]) await storeTurns(store, { sessionId, owner: ada });
    await store.deleteSession("b", { owner: ada });
    assert.deepEqual(await listIds(store, ada, 10), [["c", "a"]]);
    await storeTurns(store, { sessionId: "b", owner: ada });
    assert.deepEqual(await listIds(store, ada, 10), [["b", "c", "a"]]);

    await store.deleteUser("ada");

    assert.deepEqual(await listIds(store, ada, 10), [[]]);
    assert.deepEqual(await driver.list("session-recent"), []);
  },
  "lists a session whose run failed before its first turn": async (driver) => {
    const store = new SessionStore(driver);
    await storeTurns(store, { sessionId: "a", owner: ada, turns: 0 });
    await storeTurns(store, { sessionId: "b", owner: ada });

    assert.deepEqual(await listIds(store, ada, 10), [["b", "a"]]);
  },
  "refuses a cursor that no page had": async (driver) => {
    const store = new SessionStore(driver);

    for (const after of ["", "s", "1", "~", "1~", "x~s", "1~a/b", "12345678901234567~s", "-1~s", "1.5~s"]) {
      await rejectsWith(store.listSessions(ada, { after }), "invalid_request");
    }
    assert.deepEqual(await store.listSessions(ada, { after: "9999999999999999~s" }), { sessions: [] });
  },
} satisfies ConformanceCases<StorageDriver>;

/** Returns the ids of an owner's sessions, as an array for each page of the listing. */
async function listIds(store: SessionStore, owner: SessionOwner, limit: number): Promise<string[][]> {
  const pages: string[][] = [];
  let after: string | undefined;
  do {
    const { sessions, next } = await store.listSessions(owner, { limit, after });
    pages.push(sessions.map(({ sessionId }) => sessionId));
    after = next;
  } while (after !== undefined && pages.length < 100);
  return pages;
}
