import { describe, expect, it } from "vitest";
import { sessionQueuesOf } from "../lock/session-queues.ts";
import { BoundedStorage } from "../storage/bounded-storage.ts";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import { OneProcessStorage } from "../storage/test/one-process-storage.ts";
import { SharedStorage } from "../storage/test/shared-storage.ts";
import { toldCalls } from "../storage/test/told-calls.ts";
import type { StorageFault } from "../../testing/faulty-storage.ts";
import { SessionStore } from "./session-store.ts";
import { newTurnRecord, toStoredTurn } from "./turn-record.ts";
import { turnNamed } from "./test/turns.ts";

const owner = { userId: "ada" };
const access = { owner };
const isNew = { owner, isNew: true };
const ids = (turns: readonly { runId: string }[]) => turns.map(({ runId }) => runId);

function storeOver(storage: InMemoryStorage, plan?: (call: { method: string }) => StorageFault | undefined) {
  const { driver, calls } = toldCalls(storage, plan);
  return { store: new SessionStore(driver), driver, calls };
}

describe("a new session in memory", () => {
  it.each([["plain", () => new InMemoryStorage()] as const, ["bounded", () => new BoundedStorage()] as const])(
    "is stored with its first turn in one call, without a lease, over %s storage",
    async (_name, create) => {
      const storage = create();
      const { store, calls } = storeOver(storage);
      const session = await store.open("s", isNew);
      expect(await session.loadTurns(9)).toEqual([]);
      expect(await session.appendTurn(turnNamed("one"))).toBe(1);
      session.release();

      expect(calls).toHaveLength(2);
      expect(calls[0]).toBe("get sessions -/ada/s");
      expect(calls[1]).toMatch(
        /^insertAll \+session-recent -\/ada\/\d+\/s, \+sessions -\/ada\/s, \+turns -\/ada\/s\/0{11}1$/,
      );
      expect(await storage.list("locks")).toEqual([]);
      expect(session.madeTitle).toBe(true);
      expect(ids((await store.readTurns("s", access)).turns)).toEqual(["one"]);
      expect(await store.readSession("s", access)).toMatchObject({ title: "Look at one.", turns: 1 });
    },
  );

  it("takes a second turn, and stores a turn that is appended twice once", async () => {
    const { store } = storeOver(new InMemoryStorage());
    const session = await store.open("s", isNew);
    const numbers = [];
    for (const name of ["one", "one", "two"]) numbers.push(await session.appendTurn(turnNamed(name)));
    session.release();

    expect(numbers).toEqual([1, 1, 2]);
    expect(ids((await store.readTurns("s", access)).turns)).toEqual(["one", "two"]);
  });

  it("is stored without turns when its run ends without one", async () => {
    const { store } = storeOver(new InMemoryStorage());
    (await store.open("s", isNew)).release();

    expect(await store.listSessions(owner)).toMatchObject({ sessions: [{ sessionId: "s", turns: 0 }] });
  });

  it("rejects a turn after it was released", async () => {
    const { store } = storeOver(new InMemoryStorage());
    const session = await store.open("s", isNew);
    session.release();
    session.release();

    await expect(session.appendTurn(turnNamed("late"))).rejects.toMatchObject({ code: "internal" });
  });

  it.each([
    ["read", (store: SessionStore) => store.readSession("s", access)],
    ["turns", (store: SessionStore) => store.readTurns("s", access)],
    ["rename", (store: SessionStore) => store.renameSession("s", "Mine", access)],
    ["model title", (store: SessionStore) => store.setModelTitle("s", "Mine", access)],
    [
      "fork",
      (store: SessionStore) => store.fork("s", { seq: 1, forkId: "f" }, access).catch((error: unknown) => error),
    ],
    ["has", (store: SessionStore) => store.has("s", access)],
    ["find", (store: SessionStore) => store.findTurn("s", "r", access)],
    ["list", (store: SessionStore) => store.listSessions(owner)],
  ])("is stored as soon as another call needs it: %s", async (_name, call) => {
    const { store, driver, calls } = storeOver(new InMemoryStorage());
    const session = await store.open("s", isNew);
    expect(await driver.get("sessions", "-/ada/s")).toBeNull();
    await call(store);
    expect(await driver.get("sessions", "-/ada/s")).toMatchObject({ turns: 0 });
    await session.appendTurn(turnNamed("one"));
    session.release();

    expect(calls.filter((one) => one.startsWith("insertAll"))).toEqual([]);
    expect(ids((await store.readTurns("s", access)).turns)).toEqual(["one"]);
  });

  it("keeps other stores over its storage, and other owners, out of its way", async () => {
    const { store, driver } = storeOver(new InMemoryStorage());
    const other = new SessionStore(driver);
    const session = await store.open("s", isNew);
    expect(await other.has("s", { owner: { userId: "eve" } })).toBe(false);
    await other.listSessions({ userId: "ad" });
    expect(await driver.get("sessions", "-/ada/s")).toBeNull();
    expect(await other.has("s", access)).toBe(true);
    session.release();
  });

  it.each(["before", "after"] as const)("lets a run that comes %s its turn wait until it is released", async (when) => {
    const { store, driver } = storeOver(new InMemoryStorage());
    const session = await store.open("s", isNew);
    if (when === "after") await session.appendTurn(turnNamed("one"));
    const second = store.open("s", access);
    await expect(store.open("s", { owner, onBusy: "reject" })).rejects.toMatchObject({ code: "conflict" });
    await expect(store.deleteTurns("s", 1, access)).rejects.toMatchObject({ code: "conflict" });
    if (when === "before") await session.appendTurn(turnNamed("one"));
    session.release();

    const found = await second;
    expect(ids(await found.loadTurns(9))).toEqual(["one"]);
    await found.appendTurn(turnNamed("two"));
    found.release();
    expect(ids((await store.readTurns("s", access)).turns)).toEqual(["one", "two"]);
    expect(sessionQueuesOf(driver).busyKeys).toBe(0);
  });

  it.each([
    ["deleteSession", (store: SessionStore) => store.deleteSession("s", access)],
    ["deleteUser", (store: SessionStore) => store.deleteUser("ada")],
  ])("is deleted after its run: %s", async (_name, remove) => {
    const { store, driver } = storeOver(new InMemoryStorage());
    const session = await store.open("s", isNew);
    const removed = remove(store);
    await session.appendTurn(turnNamed("one"));
    session.release();
    await removed;

    expect(await store.has("s", access)).toBe(false);
    for (const namespace of ["sessions", "turns", "session-recent", "locks"]) {
      expect(await driver.list(namespace)).toEqual([]);
    }
  });

  it("finds a session that exists after all, with its turns", async () => {
    const { store } = storeOver(new InMemoryStorage());
    for (const [index, name] of ["one", "two"].entries()) {
      const session = await store.open("s", isNew);
      expect(await session.loadTurns(9)).toHaveLength(index);
      await session.appendTurn(turnNamed(name));
      session.release();
    }

    expect(ids((await store.readTurns("s", access)).turns)).toEqual(["one", "two"]);
  });

  it("waits for a run that has the same new session", async () => {
    const { store } = storeOver(new InMemoryStorage());
    const [first, second] = [store.open("s", isNew), store.open("s", isNew)];
    const session = await first;
    await session.appendTurn(turnNamed("one"));
    session.release();

    expect(ids(await (await second).loadTurns(9))).toEqual(["one"]);
  });

  it("stores a turn once whose first write was lost, and another writer's turn as well", async () => {
    let fault: StorageFault | undefined = "fail-after";
    const { store } = storeOver(new InMemoryStorage(), ({ method }) => (method === "insertAll" ? fault : undefined));
    const session = await store.open("s", isNew);
    await expect(session.appendTurn(turnNamed("one"))).rejects.toMatchObject({ code: "storage_unavailable" });
    fault = undefined;
    expect(await session.appendTurn(turnNamed("one"))).toBe(1);
    session.release();

    expect(ids((await store.readTurns("s", access)).turns)).toEqual(["one"]);
  });

  it("keeps a turn that another writer stored under the number of the first", async () => {
    const { store, driver } = storeOver(new InMemoryStorage());
    const session = await store.open("s", isNew);
    await driver.append?.("turns", "-/ada/s/", toStoredTurn(newTurnRecord(turnNamed("other"))));
    await session.appendTurn(turnNamed("one"));
    session.release();

    expect(ids((await store.readTurns("s", access)).turns)).toEqual(["other", "one"]);
  });

  it("stores large data before its turn, under the lease", async () => {
    const { store, calls } = storeOver(new InMemoryStorage());
    const session = await store.open("s", isNew);
    const image = { type: "image" as const, data: "A".repeat(30_000), mediaType: "image/png" };
    await session.appendTurn({ ...turnNamed("one"), input: [image] });
    session.release();

    expect(calls.findIndex((call) => call.includes("turn-parts"))).toBeLessThan(
      calls.findIndex((call) => call.startsWith("append turns")),
    );
    expect(ids((await store.readTurns("s", access)).turns)).toEqual(["one"]);
  });

  it.each([
    ["a shared storage", new SharedStorage(new InMemoryStorage()), isNew],
    ["a storage for one process", new OneProcessStorage(new InMemoryStorage()), isNew],
    ["an id that was given", new InMemoryStorage(), access],
  ])("is stored when it is opened, for %s", async (_name, driver, options) => {
    const session = await new SessionStore(driver).open("s", options);
    expect(await driver.get("sessions", "-/ada/s")).toMatchObject({ turns: 0 });
    session.release();
  });

  it("passes from an attempt at a durable run to the next one", async () => {
    const { store } = storeOver(new InMemoryStorage());
    const attempt = (number: number) => ({ owner, run: { runId: "r", attempt: number } });
    const earlier = await store.open("s", { ...attempt(1), isNew: true });
    const later = store.open("s", attempt(2));
    await expect(store.open("s", { owner, onBusy: "reject" })).rejects.toMatchObject({ code: "conflict" });
    await expect(earlier.appendTurn(turnNamed("late"))).rejects.toMatchObject({ code: "conflict" });
    earlier.release();

    const session = await later;
    await session.appendTurn(turnNamed("r"));
    session.release();
    expect(ids((await store.readTurns("s", access)).turns)).toEqual(["r"]);
  });

  it("notes that its durable run waits, and no other run may begin meanwhile", async () => {
    const { store } = storeOver(new InMemoryStorage());
    const first = await store.open("s", { ...isNew, run: { runId: "r", attempt: 1 } });
    await store.noteWait("s", "r", access);
    first.release();
    await expect(store.open("s", access)).rejects.toMatchObject({ code: "conflict" });

    const resumed = await store.open("s", { owner, run: { runId: "r", attempt: 2 } });
    expect(resumed.waitingRun).toBe("r");
    await resumed.appendTurn(turnNamed("r"));
    await store.endWait("s", "r", access);
    resumed.release();
    (await store.open("s", access)).release();
  });

  it("is not opened in a storage that was closed, nor for a caller that has left", async () => {
    const { store, driver } = storeOver(new InMemoryStorage());
    const signal = AbortSignal.abort();
    await expect(store.open("s", { ...isNew, signal })).rejects.toMatchObject({ code: "cancelled" });
    expect(await driver.list("sessions")).toEqual([]);
    await driver.close();
    await expect(store.open("s", isNew)).rejects.toMatchObject({ code: "storage_unavailable" });
  });
});
