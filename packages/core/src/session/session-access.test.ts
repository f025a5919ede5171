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

  it("creates a session for its first user, and for all others it does not exist", async () => {
    const store = new SessionStore(create());
    await appendAll(store, ["one"], { owner: ada });

    for (const owner of [bob, {}]) {
      const refused = expect.objectContaining({ code: "not_found", message: notFound });
      await expect(store.open("s", { owner })).rejects.toEqual(refused);
      await expect(store.readSession("s", { owner })).rejects.toEqual(refused);
      await expect(store.readTurns("s", { owner })).rejects.toEqual(refused);
      await expect(store.deleteSession("s", { owner })).rejects.toEqual(refused);
    }
    expect(await store.readSession("s", { owner: ada })).toMatchObject({ userId: "ada", turns: 1 });
  });

  it("reports an unknown session with the same error as another user's", async () => {
    const store = new SessionStore(create());

    await expect(store.readSession("s", { owner: ada })).rejects.toThrow(notFound);
    await expect(store.deleteSession("s", { owner: ada })).rejects.toThrow(notFound);
  });

  it("lets every user who knows its id use a session that was opened without a user", async () => {
    const store = new SessionStore(create());
    await appendAll(store, ["one"]);
    await appendAll(store, ["two"], { owner: ada });
    await appendAll(store, ["three"], { owner: bob });

    expect(await loadNames(store)).toEqual(["one", "two", "three"]);
    expect(await store.listSessions(ada)).toEqual({ sessions: [] });
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

  it("tells another user at once that a busy session does not exist, even when no run may wait", async () => {
    const driver = create();
    const session = await new SessionStore(driver).open("s", { owner: ada });

    await expect(new SessionStore(driver).open("s", { owner: bob })).rejects.toMatchObject({ code: "not_found" });
    await expect(new SessionStore(driver, { onBusy: "reject" }).open("s", { owner: bob })).rejects.toMatchObject({
      code: "not_found",
    });
    await expect(new SessionStore(driver, { maxWaiting: 0 }).open("s", { owner: ada })).rejects.toMatchObject({
      code: "conflict",
    });

    session.release();
    await vi.waitFor(() => expect(sessionQueuesOf(driver).busySessions).toBe(0));
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
    await vi.waitFor(() => expect(sessionQueuesOf(driver).busySessions).toBe(0));
  });
});

it("gives a session that two processes create at once to the owner of the one that was first", async () => {
  const storage = new InMemoryStorage();
  // Another process has a driver object of its own, and so another queue.
  const elsewhere = new FaultInjector(storage);
  const here = new FaultInjector(storage);
  here.plan({ fault: "hangs and does it later", atCall: 2 });

  const opening = new SessionStore(here.driver).open("s", { owner: ada });
  await vi.waitFor(() => expect(here.hasStruck).toBe(true));
  await appendAll(new SessionStore(elsewhere.driver), ["one"], { owner: bob });
  here.disarm();

  await expect(opening).rejects.toMatchObject({ code: "not_found" });
});
