import { describe, expect, it, onTestFinished, vi } from "vitest";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import { drivers } from "../storage/test/drivers.ts";
import { SharedStorage } from "../storage/test/shared-storage.ts";
import { toldCalls } from "../storage/test/told-calls.ts";
import { SessionStore } from "./session-store.ts";
import { appendAll, turnNamed } from "./test/turns.ts";

const owner = { userId: "ada" };
const cancelled = { code: "cancelled" };

describe("SessionStore.open", () => {
  it("reads no session of a shared storage whose id was made just now, and finds one that is there all the same", async () => {
    const { driver, calls } = toldCalls(new SharedStorage(new InMemoryStorage()));
    const store = new SessionStore(driver);
    const fresh = await store.open("s", { owner, isNew: true });
    expect(calls.filter((call) => call === "get sessions -/ada/s")).toEqual([]);
    await fresh.appendTurn(turnNamed("one"));
    fresh.release();

    const again = await store.open("s", { owner, isNew: true });
    expect(await again.loadTurns(9)).toMatchObject([{ runId: "one" }]);
    again.release();
  });

  it.each(drivers)(
    "gives a later attempt at a durable run the lease of an earlier one, over %s",
    async (_offer, create) => {
      const store = new SessionStore(create());
      const attempt = (number: number) => ({ owner, run: { runId: "r", attempt: number } });
      const earlier = await store.open("s", attempt(1));
      const later = store.open("s", attempt(2));
      onTestFinished(() => earlier.release());
      await expect(earlier.appendTurn(turnNamed("late"))).rejects.toMatchObject({ code: "conflict" });
      earlier.release();

      const session = await later;
      await session.appendTurn(turnNamed("r"));
      session.release();
      expect((await store.readTurns("s", { owner })).turns).toMatchObject([{ runId: "r" }]);
    },
  );

  it.each(drivers)("frees a session that cannot be created, over %s", async (_offer, create) => {
    let isDown = true;
    const { driver } = toldCalls(create(), ({ method, args }) =>
      isDown && (method === "transaction" || (method !== "get" && args[0] === "sessions")) ? "fail-before" : undefined,
    );
    const store = new SessionStore(driver, { onBusy: "reject" });
    await expect(store.open("s", { owner })).rejects.toMatchObject({ code: "storage_unavailable" });
    isDown = false;
    await appendAll(store, ["one"], { owner });
    expect((await store.readTurns("s", { owner })).turns).toMatchObject([{ runId: "one" }]);
  });
});

describe("a storage that does not answer", () => {
  /** A store whose storage answers no call from now on. */
  async function silent() {
    const storage = new InMemoryStorage();
    await appendAll(new SessionStore(storage), ["one"], { owner });
    const { driver } = toldCalls(storage, () => "hang");
    return new SessionStore(driver);
  }

  type Access = { owner: object; signal: AbortSignal };

  it.each<[name: string, call: (store: SessionStore, access: Access) => Promise<unknown>]>([
    ["open", async (store, access) => await store.open("s", access)],
    ["open of a new session", async (store, access) => await store.open("s", { ...access, isNew: true })],
    ["readSession", async (store, access) => await store.readSession("s", access)],
    ["readTurns", async (store, access) => await store.readTurns("s", access)],
    ["readTurnPart", async (store, access) => await store.readTurnPart("s", { seq: 1, index: 0 }, access)],
    ["renameSession", async (store, access) => await store.renameSession("s", "Mine", access)],
    ["setModelTitle", async (store, access) => await store.setModelTitle("s", "Its own", access)],
    ["deleteSession", async (store, access) => await store.deleteSession("s", access)],
    ["deleteTurns", async (store, access) => await store.deleteTurns("s", 1, access)],
  ])("ends %s when its caller leaves", async (_name, call) => {
    const store = await silent();
    const abort = new AbortController();
    const calling = call(store, { owner, signal: abort.signal });
    abort.abort();
    await expect(calling).rejects.toMatchObject(cancelled);
  });
});

describe("a deletion", () => {
  it.each<[name: string, call: (store: SessionStore, signal: AbortSignal) => Promise<unknown>]>([
    ["deleteSession", async (store, signal) => await store.deleteSession("s", { owner, signal })],
    ["deleteTurns", async (store, signal) => await store.deleteTurns("s", 1, { owner, signal })],
  ])("by %s that the storage does not make ends when its caller leaves", async (_name, call) => {
    const storage = new InMemoryStorage();
    await appendAll(new SessionStore(storage), ["one"], { owner });
    const asked = Promise.withResolvers<void>();
    const { driver } = toldCalls(storage, ({ method }) => {
      if (method === "get") return undefined;
      asked.resolve();
      return "hang";
    });
    const abort = new AbortController();
    const deleting = call(new SessionStore(driver), abort.signal);
    await asked.promise;
    abort.abort();
    await expect(deleting).rejects.toMatchObject(cancelled);
  });
});

it("a session that other processes keep changing takes no title, and its caller can try again", async () => {
  const storage = new InMemoryStorage();
  await appendAll(new SessionStore(storage), ["one"], { owner });
  const { driver, calls } = toldCalls(storage);
  const store = new SessionStore(driver);
  const comparing = vi.spyOn(storage, "compareAndSet").mockResolvedValue(false);
  await expect(store.renameSession("s", "Mine", { owner })).rejects.toMatchObject({
    code: "storage_unavailable",
    message: "Other processes keep changing this session. Try again.",
  });
  expect(calls.filter((call) => call.startsWith("compareAndSet"))).toHaveLength(5);
  comparing.mockRestore();
  expect(await store.renameSession("s", "Mine", { owner })).toMatchObject({ title: "Mine" });
});
