import { describe, expect, it, onTestFinished, vi } from "vitest";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import type { Json } from "../storage/json.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { sessionKey, turnKey } from "./session-keys.ts";
import { newSessionRecord } from "./session-record.ts";
import { SessionStore } from "./session-store.ts";
import { drivers } from "../storage/test/drivers.ts";
import { FaultInjector } from "../storage/test/fault-injector.ts";
import { appendAll, loadNames, turnNamed, withSession } from "./test/turns.ts";
import { OrderingClock } from "../lock/ordering-clock.ts";
import { sessionQueuesOf } from "../lock/session-queues.ts";
import { newTurnRecord } from "./turn-record.ts";

describe.each(drivers)("SessionStore over %s", (_, create) => {
  it("loads appended turns whole and in order", async () => {
    const store = new SessionStore(create());
    await appendAll(store, ["one", "two", "three"]);

    const turns = await withSession(store, (session) => session.loadTurns(2));

    expect(turns).toMatchObject([
      { ...turnNamed("two"), v: 1, seq: 2 },
      { ...turnNamed("three"), v: 1, seq: 3 },
    ]);
  });

  it("loads turns that were appended to a new session under the same lease", async () => {
    const seen = await withSession(new SessionStore(create()), async (session) => {
      const before = await session.loadTurns(5);
      await session.appendTurn(turnNamed("one"));
      return [before, await session.loadTurns(5)];
    });

    expect(seen).toMatchObject([[], [turnNamed("one")]]);
  });

  it("loads all turns when more are asked for, and none for 0", async () => {
    const store = new SessionStore(create());
    expect(await loadNames(store)).toEqual([]);
    await appendAll(store, ["one", "two"]);

    expect(await loadNames(store, 3)).toEqual(["one", "two"]);
    expect(await loadNames(store, Infinity)).toEqual(["one", "two"]);
    expect(await loadNames(store, 0)).toEqual([]);
  });

  it("appends after existing turns even if the run loaded none", async () => {
    const driver = create();
    await appendAll(new SessionStore(driver), ["one", "two"]);
    await appendAll(new SessionStore(driver), ["three"]);

    expect(await loadNames(new SessionStore(driver))).toEqual(["one", "two", "three"]);
  });

  it("stores several turns under one lease", async () => {
    const store = new SessionStore(create());

    await withSession(store, async (session) => {
      await session.loadTurns(5);
      await session.appendTurn(turnNamed("one"));
      await session.appendTurn(turnNamed("two"));
    });

    expect(await loadNames(store)).toEqual(["one", "two"]);
  });

  it("runs 50 concurrent runs on one session one by one, in the order in which they came", async () => {
    const driver = create();
    const stores = [new SessionStore(driver, { maxWaiting: 50 }), new SessionStore(driver, { maxWaiting: 50 })];
    let running = 0;

    await Promise.all(
      Array.from({ length: 50 }, (__, index) =>
        withSession(stores[index % 2] as SessionStore, async (session) => {
          expect(++running).toBe(1);
          expect(await session.loadTurns(100)).toHaveLength(index);
          await session.appendTurn(turnNamed(String(index)));
          running--;
        }),
      ),
    );

    expect(await loadNames(stores[0] as SessionStore)).toEqual(
      Array.from({ length: 50 }, (__, index) => String(index)),
    );
    await vi.waitFor(() => expect(sessionQueuesOf(driver).busyKeys).toBe(0));
  });

  it("opens different sessions at the same time", async () => {
    const driver = create();
    const store = new SessionStore(driver, { onBusy: "reject" });

    const opened = [store.open("one"), store.open("two"), store.open("one", { owner: { tenantId: "t" } })];
    const sessions = await Promise.all(opened);

    expect(sessionQueuesOf(driver).busyKeys).toBe(3);
    for (const session of sessions) session.release();
  });

  it("makes the same storage calls for the ten-thousandth turn as for the hundredth", async () => {
    const storage = create();
    const watched = new FaultInjector(storage);
    const store = new SessionStore(watched.driver);
    const callsAt = async (turns: number) => {
      await seed(storage, turns);
      watched.calls.length = 0;
      await withSession(store, async (session) => {
        expect(await session.loadTurns(20)).toHaveLength(20);
        await session.appendTurn(turnNamed("next"));
      });
      return [...watched.calls];
    };

    const early = await callsAt(100);
    const late = await callsAt(10_000);

    expect(late).toEqual(early);
    expect(late.length).toBeLessThanOrEqual(25);
    expect((await loadNames(store, 1))[0]).toBe("next");
  });

  it("writes nothing after the session was released", async () => {
    const store = new SessionStore(create());
    const session = await store.open("s");
    session.release();

    await expect(session.appendTurn(turnNamed("late"))).rejects.toMatchObject({ code: "internal" });
    expect(await loadNames(store)).toEqual([]);
  });

  it("never lets a late write replace what the next run stored", async () => {
    const storage = new FaultInjector(create());
    const store = new SessionStore(storage.driver);
    await appendAll(store, ["one"]);
    const abort = new AbortController();
    const session = await store.open("s");
    await session.loadTurns(1);
    storage.plan({ fault: "hangs and does it later", atCall: 1, onHang: () => abort.abort() });
    await expect(session.appendTurn(turnNamed("late"), abort.signal)).rejects.toMatchObject({ code: "cancelled" });
    session.release();

    const next = appendAll(store, ["next"]);
    await new Promise(setImmediate);
    storage.disarm();
    await next;

    expect(await loadNames(store)).toEqual(["one", "late", "next"]);
  });

  it("refuses a turn that could not be read again, and stores nothing of it", async () => {
    const store = new SessionStore(create());
    const wrong = { ...turnNamed("one"), messages: [{ role: "robot", content: "?" }] } as unknown as ReturnType<
      typeof turnNamed
    >;

    await withSession(store, (session) =>
      expect(session.appendTurn(wrong)).rejects.toMatchObject({ code: "invalid_value" }),
    );
    expect(await loadNames(store)).toEqual([]);
  });

  it("stores ill-formed strings repaired, and no properties under symbols", async () => {
    const store = new SessionStore(create());
    const odd = { role: "assistant" as const, content: "cut \ud83d", [Symbol("state")]: "secret" };

    await withSession(store, (session) => session.appendTurn({ ...turnNamed("one"), messages: [odd] }));

    const { turns } = await store.readTurns("s");
    expect(turns[0]?.messages).toStrictEqual([{ role: "assistant", content: "cut \ufffd" }]);
  });

  it("names the key of a damaged record and nothing else", async () => {
    const driver = create();
    const store = new SessionStore(driver);
    await appendAll(store, ["one"]);
    await driver.set("turns", "-/-/s/000000000001", { v: 1, input: "a secret" });

    const refused = await withSession(store, (session) => session.loadTurns(1)).catch((error: unknown) => error);

    expect(refused).toMatchObject({
      code: "storage_corrupt",
      fields: { namespace: "turns", key: "-/-/s/000000000001" },
    });
    expect(String(refused)).not.toContain("secret");
  });

  it("keeps fields that a later release added to a session's record", async () => {
    const driver = create();
    const store = new SessionStore(driver);
    await appendAll(store, ["one"]);
    const record = (await driver.get("sessions", "-/-/s")) as Record<string, string>;
    await driver.set("sessions", "-/-/s", { ...record, title: "Looking", mood: "good" });

    await appendAll(store, ["two"]);

    expect(await driver.get("sessions", "-/-/s")).toMatchObject({ title: "Looking", mood: "good", turns: 2 });
    expect(await store.readSession("s")).toMatchObject({ title: "Looking", turns: 2 });
  });
});

it("SessionStore orders the sessions and turns of one millisecond, by any store over one storage [session.order-in-ms]", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: 1_700_000_000_000 });
  onTestFinished(() => void vi.useRealTimers());
  const driver = new InMemoryStorage();
  const stores = [new SessionStore(driver), new SessionStore(driver)];
  const owner = { userId: "ada" };
  const say = async (sessionId: string, index: number) => {
    const session = await stores[index % 2]?.open(sessionId, { owner });
    await session?.appendTurn(turnNamed(`${sessionId}-${index}`));
    session?.release();
  };
  for (const [index, sessionId] of ["b", "a", "c", "b"].entries()) await say(sessionId, index);

  const { sessions } = await new SessionStore(driver).listSessions(owner);
  expect(sessions.map(({ sessionId }) => sessionId)).toEqual(["b", "c", "a"]);
  expect(new Set(sessions.map(({ updatedAt }) => updatedAt))).toEqual(new Set([1_700_000_000_000]));
});

describe("SessionStore", () => {
  it("finds the same turns through drivers with different members, even turns that were never counted", async () => {
    const storage = new InMemoryStorage();
    const five = {
      get: storage.get.bind(storage),
      set: storage.set.bind(storage),
      delete: storage.delete.bind(storage),
      list: (namespace: string, prefix?: string) => storage.list(namespace, prefix),
      close: storage.close.bind(storage),
    };
    const [listed, counted] = [new SessionStore(storage), new SessionStore(five)];
    await appendAll(listed, ["1", "2"]);
    await appendAll(counted, ["3"]);
    const record = await storage.get("sessions", "-/-/s");
    await appendAll(listed, ["4", "5"]);
    await storage.set("sessions", "-/-/s", record);

    expect(await loadNames(counted, 3)).toEqual(["3", "4", "5"]);
    expect(await loadNames(listed, 3)).toEqual(["3", "4", "5"]);
    await storage.set("sessions", "-/-/s", record);
    await appendAll(counted, ["6"]);
    await appendAll(listed, ["7"]);

    const all = ["1", "2", "3", "4", "5", "6", "7"];
    expect(await loadNames(counted)).toEqual(all);
    expect(await loadNames(listed)).toEqual(all);
    expect((await counted.readTurns("s")).turns.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it("reads the turns of a session that another process creates at the same moment", async () => {
    const storage = new InMemoryStorage();
    const appended = new InMemoryStorage();
    await appendAll(new SessionStore(appended), ["a"]);
    vi.spyOn(storage, "compareAndSet").mockImplementationOnce(async () => {
      for (const namespace of ["sessions", "turns"]) {
        for (const { key, value } of await appended.list(namespace)) await storage.set(namespace, key, value);
      }
      return false;
    });

    expect(await loadNames(new SessionStore(storage))).toEqual(["a"]);
  });

  it.each([
    [{ onBusy: "wait" as "reject" }, "onBusy"],
    [{ maxWaiting: -1 }, "maxWaiting"],
    [{ waitMs: Number.POSITIVE_INFINITY }, "waitMs"],
  ])("refuses the options %j in its constructor", (options, named) => {
    expect(() => new SessionStore(new InMemoryStorage(), options)).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringContaining(named) as string }),
    );
  });

  it.each(["a/b", "", "a b"])("refuses the session id %j", async (sessionId) => {
    await expect(new SessionStore(new InMemoryStorage()).open(sessionId)).rejects.toMatchObject({
      code: "invalid_request",
    });
  });
});

/** Stores a session with this number of turns, as if they had been appended. */
async function seed(driver: StorageDriver, turns: number): Promise<void> {
  const key = sessionKey({}, "s");
  for (let seq = 1; seq <= turns; seq++) {
    await driver.set("turns", turnKey(key, seq), newTurnRecord(turnNamed(String(seq))) as unknown as Json);
  }
  await driver.set("sessions", key, { ...newSessionRecord({}, new OrderingClock()), turns } as unknown as Json);
}
