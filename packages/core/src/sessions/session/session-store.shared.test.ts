import { beforeEach, describe, expect, it, vi } from "vitest";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import type { OpenSession } from "./open-session.ts";
import { SessionStore } from "./session-store.ts";
import { pass, useFakeTime } from "../lock/test/processes.ts";
import { SharedStorage } from "../storage/test/shared-storage.ts";
import { appendAll, turnNamed, withSession } from "./test/turns.ts";
import { sessionQueuesOf } from "../lock/session-queues.ts";
import type { BusyPolicy } from "../lock/busy-policy.ts";

/** Twice a leaseMs. */
const longer = 20_000;

/** Starts two processes with a store each over one storage. */
function startStores(policy: Partial<BusyPolicy> = {}) {
  const storage = new InMemoryStorage();
  const [own, others] = [new SharedStorage(storage), new SharedStorage(storage)];
  return { storage, own, others, store: new SessionStore(own, policy), other: new SessionStore(others, policy) };
}

async function turnsOf(storage: InMemoryStorage): Promise<unknown[]> {
  return (await storage.list("turns")).map(({ value }) => (value as { runId: string }).runId);
}

const readSession = async (storage: InMemoryStorage) => await storage.get("sessions", "-/-/s");

describe("a session that several processes use", () => {
  it("costs two storage calls for its lease, and a third that no run waits for", async () => {
    const { store, own } = startStores();
    await appendAll(store, ["a"]);
    await vi.waitFor(() => expect(sessionQueuesOf(own).busyKeys).toBe(0));
    own.calls.length = 0;

    const session = await store.open("s");
    expect(own.calls).toEqual(["get", "compareAndSet", "get"]);
    await session.loadTurns(20);
    await session.appendTurn(turnNamed("b"));
    expect(own.calls.slice(3)).toEqual(["list", "append", "compareAndSet"]);

    session.release();
    expect(own.calls.slice(6)).toEqual(["compareAndSet"]);
  });

  it("costs one storage call for the lease of a new session", async () => {
    const { store, own } = startStores();
    const session = await store.open("s", { isNew: true });
    expect(own.calls).toEqual(["compareAndSet", "compareAndSet"]);
    session.release();
  });

  it("waits for a run of another process, even if its id was thought to be new", async () => {
    const { store, other } = startStores();
    const first = await other.open("s");
    let isOpen = false;
    const opening = store.open("s", { isNew: true }).then((session) => ((isOpen = true), session));
    await first.appendTurn(turnNamed("a"));
    expect(isOpen).toBe(false);
    first.release();

    const session = await opening;
    expect((await session.loadTurns(9)).map(({ runId }) => runId)).toEqual(["a"]);
    session.release();
  });

  it("is read without a lease", async () => {
    const { store, own, other } = startStores();
    await appendAll(other, ["a"]);
    const session = await other.open("s");
    await store.readSession("s");
    await store.readTurns("s");
    await store.listSessions({ userId: "u" });

    expect(own.calls).not.toContain("compareAndSet");
    session.release();
  });

  it("runs 50 concurrent runs of two processes one by one, in the order of each process", async () => {
    const { store, other, storage } = startStores({ maxWaiting: 50 });
    await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        await withSession(index % 2 === 0 ? store : other, async (session) => {
          const { length } = await session.loadTurns(Infinity);
          await session.appendTurn(turnNamed(`${index} found ${length}`));
        });
      }),
    );
    const turns = (await turnsOf(storage)).map((name) => String(name).split(" found ").map(Number));

    expect(turns.map(([, found]) => found)).toEqual(Array.from({ length: 50 }, (_, index) => index));
    for (const parity of [0, 1]) {
      const ofOne = turns.map(([run = 0]) => run).filter((run) => run % 2 === parity);
      expect(ofOne).toEqual(ofOne.toSorted((a, b) => a - b));
      expect(ofOne).toHaveLength(25);
    }
  });

  it("has a lease of its own for each user, also in other processes [session.per-owner]", async () => {
    const { store, other } = startStores({ onBusy: "reject" });
    const session = await other.open("s", { owner: { userId: "u" } });

    const others = await store.open("s", { owner: { userId: "v" } });
    await expect(store.open("s", { owner: { userId: "u" } })).rejects.toMatchObject({ code: "conflict" });
    session.release();
    others.release();
  });

  it("is released at once, even if the storage is closed right after", async () => {
    const { store, own, storage } = startStores();
    const writes = vi.spyOn(storage, "compareAndSet");
    const session = await store.open("s");
    await session.appendTurn(turnNamed("a"));
    const before = writes.mock.calls.length;
    session.release();
    await own.close();
    await vi.waitFor(() => expect(sessionQueuesOf(own).busyKeys).toBe(0));

    expect(writes.mock.calls[before]?.[3]).toMatchObject({ positions: [] });
  });

  it("leaves no stored queue when it is deleted, or when it never existed", async () => {
    const { store, other, storage, own } = startStores();
    await appendAll(other, ["a"]);
    await withSession(store, async (session) => await session.appendTurn(turnNamed("m")), { sessionId: "s#member" });
    await store.deleteSession("s");
    await expect(store.deleteSession("t")).rejects.toMatchObject({ code: "not_found" });
    await vi.waitFor(() => expect(sessionQueuesOf(own).busyKeys).toBe(0));

    for (const namespace of ["locks", "sessions", "turns"]) expect(await storage.list(namespace)).toEqual([]);
  });

  it.each(["compareAndSet", "transaction"])(
    "keeps the title that another process gives it before the %s that counts a turn, over a storage that cannot append",
    async (method) => {
      const { own, other, storage } = startStores();
      const store = new SessionStore(Object.assign(own, { append: undefined }));
      await appendAll(store, ["a"]);
      const session = await store.open("s");
      own.stopAt(method);
      let isStored = false;
      const appending = session.appendTurn(turnNamed("b")).then(() => (isStored = true));
      await vi.waitUntil(() => own.isStopped || isStored, { interval: 1 });
      await other.renameSession("s", "Tromsø");
      own.goOn();
      await appending;
      session.release();

      expect(await readSession(storage)).toMatchObject({ title: "Tromsø", turns: 2 });
    },
  );

  it("is created anew for a run that waited while it was deleted", async () => {
    const { store, other } = startStores();
    const owner = { userId: "u" };
    const session = await store.open("s", { owner });
    const deleting = other.deleteSession("s", { owner });
    const late = store.open("s", { owner });
    session.release();
    await deleting;

    const again = await late;
    expect(await again.loadTurns(5)).toEqual([]);
    await again.appendTurn(turnNamed("new"));
    again.release();
    expect(await store.readSession("s", { owner })).toMatchObject({ turns: 1 });
  });
});

describe("a process that was stopped while it held a lease", () => {
  beforeEach(useFakeTime);

  /** Stops the first process in the middle of `doing`, until the second process has held the lease. */
  async function overtake(
    stopsAt: Parameters<SharedStorage["stopAt"]>,
    doing: (session: OpenSession, store: SessionStore) => Promise<unknown>,
    meanwhile: (other: SessionStore) => Promise<unknown>,
  ) {
    const { store, own, other, storage } = startStores();
    await appendAll(store, ["a"]);
    const session = await store.open("s");
    own.stopAt(...stopsAt);
    const done = doing(session, store).catch((error: unknown) => error);
    await vi.waitFor(() => expect(own.isStopped).toBe(true));
    const used = meanwhile(other);
    await pass(longer);
    await used;
    const before = { turns: await turnsOf(storage), session: await readSession(storage) };
    own.goOn();
    const outcome = await done;
    session.release();
    await pass(longer);
    const after = { turns: await turnsOf(storage), session: await readSession(storage) };
    return { outcome, before, after };
  }

  const append = async (session: OpenSession) => await session.appendTurn(turnNamed("late"));

  it("stores no turn, and changes nothing", async () => {
    const { outcome, before, after } = await overtake(["append"], append, (other) => appendAll(other, ["b"]));

    expect(outcome).toMatchObject({ code: "conflict" });
    expect(after).toEqual(before);
    expect(after).toMatchObject({ turns: ["a", "b"], session: { turns: 2 } });
  });

  it("stores no turn when it tries again", async () => {
    const twice = async (session: OpenSession) => {
      await append(session).catch(() => undefined);
      await append(session);
    };
    const { outcome, after } = await overtake(["append"], twice, (other) => appendAll(other, ["b"]));

    expect(outcome).toMatchObject({ code: "conflict" });
    expect(after.turns).toEqual(["a", "b"]);
  });

  it("does not set the counter back when its turn was stored in time", async () => {
    const { outcome, after } = await overtake(["compareAndSet"], append, (other) => appendAll(other, ["b", "c"]));

    expect(outcome).toBe(2);
    expect(after).toMatchObject({ turns: ["a", "late", "b", "c"], session: { turns: 4 } });
  });

  it("counts its turn when no other process has", async () => {
    const change = async (other: SessionStore) => await withSession(other, async () => undefined);
    const { after } = await overtake(["compareAndSet"], append, change);

    expect(after).toMatchObject({ turns: ["a", "late"], session: { turns: 2 } });
  });

  it("does not restore a session that was deleted", async () => {
    const { after } = await overtake(["compareAndSet"], append, (other) => other.deleteSession("s"));

    expect(after).toEqual({ turns: [], session: null });
  });

  const remove = async (session: OpenSession, store: SessionStore) => {
    session.release();
    await store.deleteSession("s");
  };

  it("deletes nothing once it lost the lease", async () => {
    const { outcome, after } = await overtake(["compareAndSet", 3], remove, (other) => appendAll(other, ["b"]));

    expect(outcome).toMatchObject({ code: "conflict" });
    expect(after).toMatchObject({ turns: ["a", "b"], session: { turns: 2 } });
  });

  it("leaves the rest to the next run when it has marked the session as deleted", async () => {
    const { outcome, after } = await overtake(["list"], remove, (other) => appendAll(other, ["b"]));

    expect(outcome).toMatchObject({ code: "conflict" });
    expect(after).toMatchObject({ turns: ["b"], session: { turns: 1 } });
  });

  it("leaves the session's record when it was about to delete that", async () => {
    const { outcome, after } = await overtake(["list", 4], remove, (other) => appendAll(other, ["b"]));

    expect(outcome).toMatchObject({ code: "conflict" });
    expect(after).toMatchObject({ turns: ["b"], session: { turns: 1 } });
  });
});
