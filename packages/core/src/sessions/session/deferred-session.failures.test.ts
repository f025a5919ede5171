import { describe, expect, it } from "vitest";
import { faultyStorage } from "../../testing/faulty-storage.ts";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import type { OpenSession } from "./open-session.ts";
import { SessionStore } from "./session-store.ts";
import { turnNamed } from "./test/turns.ts";

const owner = { userId: "ünal" };
const access = { owner };

/** Opens a session with a new id, which is stored when another call needs it, in a storage that fails on demand. */
async function openNew() {
  const faults = { count: 0 };
  const storage = faultyStorage(new InMemoryStorage(), () => (faults.count-- > 0 ? "fail-before" : undefined));
  const store = new SessionStore(storage);
  const session = await store.open("s", { ...access, isNew: true });
  return { faults, store, session };
}

const others: [what: string, use: (store: SessionStore) => Promise<unknown>][] = [
  ["lists the sessions of its owner", async (store) => await store.listSessions(owner)],
  ["reads it", async (store) => await store.readSession("s", access)],
  ["renames it", async (store) => await store.renameSession("s", "Mine", access)],
  ["opens it", async (store) => (await store.open("s", access)).release()],
];

const works: [what: string, work: (session: OpenSession) => Promise<unknown>][] = [
  ["stores its turn", async (session) => await session.appendTurn(turnNamed("a"))],
  [
    "stores two turns",
    async (session) => {
      await session.appendTurn(turnNamed("b"));
      await session.appendTurn(turnNamed("a"));
    },
  ],
];

describe.each(works)("a run in a new session that %s", (_work, work) => {
  it.each(others)("is not harmed by another call that %s, and fails in the storage", async (_what, use) => {
    for (const turnsBetween of [0, 1, 2]) {
      for (const count of [1, 2, 3]) {
        const { faults, store, session } = await openNew();
        faults.count = count;
        const used = use(store).catch(() => undefined);
        // The run's own calls begin while the other call is under way, or after it, and the storage is well for them.
        for (let turn = 0; turn < turnsBetween; turn++) await new Promise(setImmediate);
        await Promise.resolve();
        faults.count = 0;
        await work(session);
        session.release();
        await used;
        const { turns } = await store.readTurns("s", access);
        expect(turns.at(-1)?.runId).toBe("a");
      }
    }
  });
});
