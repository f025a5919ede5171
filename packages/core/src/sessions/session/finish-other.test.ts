import { describe, expect, it } from "vitest";
import { checkBusyPolicy } from "../lock/busy-policy.ts";
import { sessionQueuesOf } from "../lock/session-queues.ts";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import { namespaces, sessionKey } from "./session-keys.ts";
import type { SessionListener } from "./session-listener.ts";
import { SessionStore } from "./session-store.ts";
import { turnNamed, withSession } from "./test/turns.ts";

const owner = { userId: "ünal" };
const access = { owner };
const failing: SessionListener = {
  forgetSession: async (sessionId) => {
    if (sessionId === "s") throw new Error("The search index is away.");
  },
};

/** Makes a storage with a session `s` whose deletion was interrupted, its fork `f` with a turn of its own, and a fork `g` of `f`. */
async function interrupted(): Promise<InMemoryStorage> {
  const storage = new InMemoryStorage();
  const store = new SessionStore(storage);
  const add = async (sessionId: string, name: string) =>
    await withSession(store, (session) => session.appendTurn(turnNamed(name)), { sessionId, owner });
  for (const name of ["a", "b"]) await add("s", name);
  await store.fork("s", { seq: 2, forkId: "f" }, access);
  await add("f", "c");
  await store.fork("f", { seq: 3, forkId: "g" }, access);
  const [key, record] = [sessionKey(owner, "s"), await storage.get(namespaces.sessions, sessionKey(owner, "s"))];
  await storage.set(namespaces.sessions, key, { ...Object(record), isDeleted: true });
  return storage;
}

const namesIn = async (store: SessionStore, sessionId: string) =>
  (await store.readTurns(sessionId, access)).turns.map(({ runId }) => runId);

describe.each<[what: string, work: (store: SessionStore) => Promise<unknown>]>([
  ["fork of a fork", async (store) => await store.fork("f", { seq: 2, forkId: "h" }, access)],
  ["deletion of a fork", async (store) => await store.deleteSession("f", access)],
  ["deletion of a fork's turns", async (store) => await store.deleteTurns("f", 3, access)],
])("a %s whose source is deleted in part", (_what, work) => {
  it("is refused with the failure that keeps the source from being deleted, and changes nothing for readers", async () => {
    const storage = await interrupted();
    const store = new SessionStore(storage, {}, [failing]);
    await expect(work(store)).rejects.toThrow("The search index is away.");
    expect(await namesIn(store, "g")).toEqual(["a", "b", "c"]);

    const again = new SessionStore(storage);
    await work(again);
    expect(await namesIn(again, "g")).toEqual(["a", "b", "c"]);
    expect(await storage.get(namespaces.sessions, sessionKey(owner, "s"))).toBeNull();
  });

  it("is to be tried again while another deletion removes the rest of the source", async () => {
    const storage = await interrupted();
    const policy = checkBusyPolicy({}, { owner: "other" });
    const lease = await sessionQueuesOf(storage).join(sessionKey(owner, "s"), policy).granted;
    const store = new SessionStore(storage);
    await expect(work(store)).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringMatching(/are being moved\. Try again\.$/),
    });
    lease.release();
  });
});
