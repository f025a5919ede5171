import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import { SessionStore } from "./session-store.ts";
import { appendAll, loadNames } from "./test/turns.ts";

const owner = { userId: "ada" };
const notFound = { code: "not_found" };

/** A store with the session `s` of ada, and what its listener is told. */
async function stored(names: readonly string[] = ["a", "b", "c"]) {
  const driver = new InMemoryStorage();
  const told: unknown[][] = [];
  const listener = {
    forgetSession: async (...args: unknown[]) => void told.push(["session", ...args]),
    forgetUser: async (...args: unknown[]) => void told.push(["user", ...args]),
    forgetTurns: async (id: string, of: object, load: () => Promise<{ runId: string }[]>) =>
      void told.push(["turns", id, of, (await load()).map(({ runId }) => runId)]),
  };
  const store = new SessionStore(driver, {}, [listener]);
  await appendAll(store, names, { owner });
  return { driver, store, told };
}

describe("background work on sessions", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Work that ends when the test says so. */
  function tracked(store: SessionStore) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const cancel = vi.fn<() => void>();
    store.track(promise, cancel);
    return { resolve, reject, cancel };
  }

  /** Returns true if a promise is settled, without waiting for it. */
  function watched(promise: Promise<void>): () => boolean {
    let isOver = false;
    void promise.then(() => (isOver = true));
    return () => isOver;
  }

  it("is waited for without a limit by a flush, also what begins meanwhile, and a failure is none of its", async () => {
    const store = new SessionStore(new InMemoryStorage());
    const first = tracked(store);
    const isOver = watched(store.flush());
    await vi.advanceTimersByTimeAsync(3_600_000);
    const second = tracked(store);
    first.reject(new Error("failed"));
    await vi.advanceTimersByTimeAsync(0);
    expect(isOver()).toBe(false);
    second.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(isOver()).toBe(true);
    expect([first.cancel, second.cancel].flatMap(({ mock }) => mock.calls)).toEqual([]);
  });

  it("is cancelled after the limit of a flush, and waited for as long again", async () => {
    const store = new SessionStore(new InMemoryStorage());
    const [done, slow] = [tracked(store), tracked(store)];
    const isOver = watched(store.flush({ waitMs: 100 }));
    done.resolve();
    await vi.advanceTimersByTimeAsync(99);
    expect(slow.cancel).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(slow.cancel).toHaveBeenCalledOnce();
    expect(done.cancel).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(99);
    expect(isOver()).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(isOver()).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("background work on sessions that ends once it is cancelled ends the flush, and a later flush waits for nothing", async () => {
    const store = new SessionStore(new InMemoryStorage());
    const slow = tracked(store);
    slow.cancel.mockImplementation(() => slow.resolve());
    const isOver = watched(store.flush({ waitMs: 100 }));
    await vi.advanceTimersByTimeAsync(100);
    expect(isOver()).toBe(true);
    await store.flush({ waitMs: 100 });
    await store.flush();
    expect(slow.cancel).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a session that is deleted", () => {
  it("is taken from its listeners, under its owner, before it is gone, and is not found a second time", async () => {
    const { store, told } = await stored();
    await store.deleteSession("s", { owner });
    expect(told).toEqual([["session", "s", owner]]);
    await expect(store.readSession("s", { owner })).rejects.toMatchObject(notFound);
    await expect(store.deleteSession("s", { owner })).rejects.toMatchObject(notFound);
    expect(told).toHaveLength(1);
  });

  it.each([{}, { userId: "bob" }, { userId: "ada", verified: false }, { userId: "ada", tenantId: "t" }])(
    "is not found by %j, who leaves no queue behind",
    async (other) => {
      const { driver, store, told } = await stored();
      await expect(store.deleteSession("s", { owner: other })).rejects.toMatchObject(notFound);
      await expect(store.deleteTurns("s", 1, { owner: other })).rejects.toMatchObject(notFound);
      expect(told).toEqual([]);
      expect((await driver.list("locks")).map(({ key }) => key).filter((key) => key !== "-/ada/s")).toEqual([]);
      expect(await loadNames(store, 9)).toEqual([]);
      expect((await store.readSession("s", { owner })).turns).toBe(3);
    },
  );

  it("does not wait for its lease once its caller has left", async () => {
    const { store } = await stored();
    const session = await store.open("s", { owner });
    onTestFinished(() => session.release());
    const abort = new AbortController();
    const deleting = store.deleteSession("s", { owner, signal: abort.signal });
    abort.abort();
    await expect(deleting).rejects.toMatchObject({ code: "cancelled" });
  });
});

describe("turns that are deleted", () => {
  it("are gone from the number on, and listeners are told once, with the turns that are left", async () => {
    const { store, told } = await stored();
    await store.deleteTurns("s", 2, { owner });
    expect((await store.readTurns("s", { owner })).turns.map(({ runId }) => runId)).toEqual(["a"]);
    expect(told).toEqual([["turns", "s", owner, ["a"]]]);
    expect((await store.readSession("s", { owner })).turns).toBe(1);
  });

  it("turns that are deleted behind the last one are none, and nobody is told", async () => {
    const { store, told } = await stored();
    await store.deleteTurns("s", 4, { owner });
    expect(told).toEqual([]);
    expect((await store.readSession("s", { owner })).turns).toBe(3);
  });

  it("are refused at once while a run is under way", async () => {
    const { store, told } = await stored();
    const session = await store.open("s", { owner });
    await expect(store.deleteTurns("s", 1, { owner })).rejects.toMatchObject({ code: "conflict" });
    session.release();
    expect(told).toEqual([]);
    await store.deleteTurns("s", 1, { owner });
    expect(told).toEqual([["turns", "s", owner, []]]);
  });

  it.each([0, -1, 1.5, "1" as never])("cannot begin at %j", async (from) => {
    const { store } = await stored(["a"]);
    await expect(store.deleteTurns("s", from, { owner })).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringMatching(/^from must be an integer/) as string,
    });
  });
});

it("a user who is deleted is taken from the listeners by its whole owner, and others keep all they have", async () => {
  const { driver, store, told } = await stored(["a"]);
  const others = [{ userId: "ada", tenantId: "t" }, { userId: "ada", verified: false }, { userId: "bob" }];
  for (const other of others) await appendAll(store, ["theirs"], { owner: other });
  await store.deleteUser("ada");
  expect(told.map(([what, first]) => [what, first])).toEqual([
    ["session", "s"],
    ["user", expect.objectContaining(owner)],
  ]);
  const keys = (await driver.list("sessions")).map(({ key }) => key);
  expect(keys).toEqual(["-/bob/s", "-/~ada/s", "t/ada/s"]);
  for (const other of others) expect((await store.readTurns("s", { owner: other })).turns).toHaveLength(1);
});

it("a listener is told until it is removed, and removing it twice removes no other", async () => {
  const { store } = await stored();
  const told: string[] = [];
  const listener = (name: string) => ({ forgetSession: async () => void told.push(name) });
  const [removeOne] = [store.addListener(listener("one")), store.addListener(listener("two"))];
  removeOne();
  removeOne();
  await store.deleteSession("s", { owner });
  expect(told).toEqual(["two"]);
});

it("the check for a storage that can be written to writes one small record, another each time", async () => {
  vi.useFakeTimers({ now: 1000, toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const driver = new InMemoryStorage();
  const store = new SessionStore(driver);
  await store.checkWritable();
  expect(await driver.list("probe")).toEqual([{ key: "ready", value: { v: 1, at: 1000 } }]);
  vi.setSystemTime(2000);
  await store.checkWritable();
  expect(await driver.list("probe")).toEqual([{ key: "ready", value: { v: 1, at: 2000 } }]);
  vi.spyOn(driver, "set").mockRejectedValue(new Error("full"));
  await expect(store.checkWritable()).rejects.toThrow("full");
});

describe("the title of a session", () => {
  it("the title of a session that its user gave is replaced by no model's, and one made from its first message is", async () => {
    const { store } = await stored(["a"]);
    expect(await store.setModelTitle("s", "By a model", { owner })).toMatchObject({ title: "By a model" });
    expect(await store.setModelTitle("s", "Again", { owner })).toMatchObject({ title: "By a model" });
    expect(await store.renameSession("s", "Mine", { owner })).toMatchObject({ sessionId: "s", title: "Mine" });
    expect(await store.setModelTitle("s", "By a model", { owner })).toMatchObject({ title: "Mine" });
    expect(await store.readSession("s", { owner })).toMatchObject({ title: "Mine", turns: 1 });
  });

  it("is for its owner alone", async () => {
    const { store } = await stored(["a"]);
    for (const other of [{}, { userId: "bob" }, { ...owner, tenantId: "t" }, { ...owner, verified: false }]) {
      await expect(store.renameSession("s", "Theirs", { owner: other })).rejects.toMatchObject(notFound);
      await expect(store.setModelTitle("s", "Theirs", { owner: other })).rejects.toMatchObject(notFound);
    }
    expect((await store.readSession("s", { owner })).title).not.toBe("Theirs");
  });
});
