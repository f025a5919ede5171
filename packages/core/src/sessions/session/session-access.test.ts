import { afterEach, describe, expect, it, vi } from "vitest";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import { SessionStore } from "./session-store.ts";
import { drivers } from "../storage/test/drivers.ts";
import { FaultInjector } from "../storage/test/fault-injector.ts";
import { appendAll, loadNames } from "./test/turns.ts";
import { sessionQueuesOf } from "../lock/session-queues.ts";

const ada = { userId: "ada" };
const bob = { userId: "bob" };
const notFound = 'Session "s" not found. It may belong to another user: pass its userId.';

describe.each(drivers)("access to sessions over %s", (_, create) => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("makes the same id of several owners several sessions [session.per-owner]", async () => {
    const store = new SessionStore(create());
    const owners = [ada, bob, {}, { ...ada, verified: false }, { ...ada, tenantId: "acme" }, { tenantId: "acme" }];
    for (const [index, owner] of owners.entries()) await appendAll(store, [`of ${index}`], { owner });

    for (const [index, owner] of owners.entries()) {
      expect((await store.readTurns("s", { owner })).turns).toMatchObject([{ runId: `of ${index}` }]);
    }
    await store.deleteSession("s", { owner: ada });
    await expect(store.readSession("s", { owner: ada })).rejects.toMatchObject({ code: "not_found" });
    for (const owner of owners.slice(1)) expect(await store.readSession("s", { owner })).toMatchObject({ turns: 1 });
  });

  it("reads and deletes no session of another owner [session.per-owner]", async () => {
    const store = new SessionStore(create());
    await appendAll(store, ["one"], { owner: ada });

    for (const owner of [bob, {}, { ...ada, verified: false }, { ...ada, tenantId: "acme" }]) {
      const refused = expect.objectContaining({ code: "not_found", message: notFound });
      await expect(store.readSession("s", { owner })).rejects.toEqual(refused);
      await expect(store.readTurns("s", { owner })).rejects.toEqual(refused);
      await expect(store.deleteSession("s", { owner })).rejects.toEqual(refused);
    }
    for (const owner of [bob, { ...ada, verified: false }, { ...ada, tenantId: "acme" }]) {
      expect(await store.listSessions(owner)).toEqual({ sessions: [] });
    }
    expect(await store.readSession("s", { owner: ada })).toMatchObject({ userId: "ada", turns: 1 });
  });

  it("reports an unknown session with the same error as another user's", async () => {
    const store = new SessionStore(create());

    await expect(store.readSession("s", { owner: ada })).rejects.toThrow(notFound);
    await expect(store.deleteSession("s", { owner: ada })).rejects.toThrow(notFound);
  });

  it("keeps a session that was opened without a user apart from all users [session.bearer]", async () => {
    const store = new SessionStore(create());
    await appendAll(store, ["one"]);
    await appendAll(store, ["two"], { owner: ada });
    await appendAll(store, ["three"]);

    expect(await loadNames(store)).toEqual(["one", "three"]);
    expect((await store.readTurns("s", { owner: ada })).turns).toMatchObject([{ runId: "two" }]);
    await store.deleteUser("ada");
    expect(await loadNames(store)).toEqual(["one", "three"]);
    expect(await store.listSessions(ada)).toEqual({ sessions: [] });
  });

  it("lists and deletes what a user has and an unverified one claims to have apart [session.unverified]", async () => {
    const driver = create();
    const store = new SessionStore(driver);
    const claimed = { userId: "ada", verified: false };
    await appendAll(store, ["hers"], { owner: ada });
    await appendAll(store, ["claimed"], { owner: claimed });
    await driver.set("facts", "-/ada/1", { fact: "likes tea" });
    await driver.set("facts", "-/~ada/1", { fact: "likes milk" });

    expect((await store.listSessions(claimed)).sessions).toHaveLength(1);
    await store.deleteUser("ada", { verified: false });

    expect((await store.listSessions(claimed)).sessions).toEqual([]);
    expect((await store.listSessions(ada)).sessions).toHaveLength(1);
    expect((await driver.list("facts")).map(({ key }) => key)).toEqual(["-/ada/1"]);
  });

  it("keeps tenants apart, even one called -", async () => {
    const driver = create();
    const store = new SessionStore(driver);
    const tenants = [undefined, "-", "%2D", "acme"];
    for (const [index, tenantId] of tenants.entries()) {
      await appendAll(store, [`of ${index}`], { owner: { tenantId, userId: "ada" } });
    }

    for (const [index, tenantId] of tenants.entries()) {
      const { turns } = await store.readTurns("s", { owner: { tenantId, userId: "ada" } });
      expect(turns.map(({ runId }) => runId)).toEqual([`of ${index}`]);
    }
  });

  it("never lets a user wait for another user's session of the same id [session.per-owner]", async () => {
    const driver = create();
    const session = await new SessionStore(driver).open("s", { owner: ada });

    const other = await new SessionStore(driver, { onBusy: "reject" }).open("s", { owner: bob });
    await expect(new SessionStore(driver, { maxWaiting: 0 }).open("s", { owner: ada })).rejects.toMatchObject({
      code: "conflict",
    });

    session.release();
    other.release();
    await vi.waitFor(() => expect(sessionQueuesOf(driver).busyKeys).toBe(0));
  });

  it("refuses a run that waited for a minute", async () => {
    vi.useFakeTimers();
    const store = new SessionStore(create());
    const session = await store.open("s");
    const waiting = store.open("s").catch((error: unknown) => error);

    await vi.advanceTimersByTimeAsync(60_000);

    expect(await waiting).toMatchObject({ code: "conflict" });
    session.release();
  });

  it("leaves the queue at once when the signal aborts", async () => {
    const driver = create();
    const store = new SessionStore(driver);
    const session = await store.open("s");
    const abort = new AbortController();
    const waiting = store.open("s", { signal: abort.signal });

    abort.abort();

    await expect(waiting).rejects.toMatchObject({ code: "cancelled" });
    session.release();
    session.release();
    await vi.waitFor(() => expect(sessionQueuesOf(driver).busyKeys).toBe(0));
  });
});

it("SessionAccess makes a session that two processes create at once one session", async () => {
  const storage = new InMemoryStorage();
  // Another process has a driver object of its own, and so another queue.
  const elsewhere = new FaultInjector(storage);
  const here = new FaultInjector(storage);
  here.plan({ fault: "hangs and does it later", atCall: 2 });

  const opening = new SessionStore(here.driver).open("s", { owner: ada });
  await vi.waitFor(() => expect(here.hasStruck).toBe(true));
  await appendAll(new SessionStore(elsewhere.driver), ["one"], { owner: ada });
  here.disarm();

  expect((await (await opening).loadTurns(1)).map(({ runId }) => runId)).toEqual(["one"]);
});
