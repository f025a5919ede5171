import { describe, expect, it } from "vitest";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { SessionStore } from "./session-store.ts";
import { drivers } from "../storage/test/drivers.ts";
import { appendAll, loadNames, turnNamed, withSession } from "./test/turns.ts";

const ada = { userId: "ada" };
const bob = { userId: "bob" };

describe.each(drivers)("listing and deleting sessions over %s", (_, create) => {
  it("reads turns in pages, without a lease", async () => {
    const store = new SessionStore(create());
    await appendAll(store, ["1", "2", "3", "4", "5"]);
    const session = await store.open("s");

    const first = await store.readTurns("s", { limit: 2 });
    const second = await store.readTurns("s", { limit: 2, after: first.next });
    const third = await store.readTurns("s", { limit: 2, after: second.next });

    expect([first, second, third].map(({ turns }) => turns.map(({ runId }) => runId))).toEqual([
      ["1", "2"],
      ["3", "4"],
      ["5"],
    ]);
    expect(third.next).toBeUndefined();
    session.release();
  });

  it("lists a user's sessions in pages, without those of team members", async () => {
    const store = new SessionStore(create());
    for (const sessionId of ["a", "b", "c", "d", "b#member", "b/run#member"]) {
      await withSession(store, (session) => session.appendTurn(turnNamed("one")), { sessionId, owner: ada });
    }
    await withSession(store, async () => {}, { sessionId: "bb", owner: bob });

    const first = await store.listSessions(ada, { limit: 3 });
    const second = await store.listSessions(ada, { limit: 3, after: first.next });

    expect(first.sessions).toMatchObject(["d", "c", "b"].map((sessionId) => ({ sessionId, turns: 1, userId: "ada" })));
    expect(second.sessions.map(({ sessionId }) => sessionId)).toEqual(["a"]);
    expect(second.next).toBeUndefined();
  });

  it("refuses to list without a user, and names userId [run.user-id-missing]", async () => {
    const store = new SessionStore(create());
    await appendAll(store, ["one"]);

    await expect(store.listSessions({})).rejects.toMatchObject({
      code: "invalid_request",
      message: "userId is missing: sessions are listed per user. Pass the owner's { userId }.",
    });
  });

  it.each([0, -1, 101, 1.5, Number.NaN])("refuses a page limit of %d", async (limit) => {
    const store = new SessionStore(create());

    await expect(store.listSessions(ada, { limit })).rejects.toMatchObject({ code: "invalid_request" });
    await expect(store.readTurns("s", { limit })).rejects.toMatchObject({ code: "invalid_request" });
  });

  it("deletes a session with its turns, its memory and its members' sessions, and nothing else", async () => {
    const driver = create();
    const store = new SessionStore(driver);
    for (const sessionId of ["s", "s#ada", "s/run#bob", "s2", "s:1"]) {
      await withSession(store, (session) => session.appendTurn(turnNamed("one")), { sessionId });
      await driver.set("memory", `-/-/${sessionId.replace("/", "%2F").replace("#", "%23")}`, { v: 1 });
      await driver.set("memory", `-/-/${sessionId.replace("/", "%2F").replace("#", "%23")}/000000000001`, { v: 1 });
    }

    await store.deleteSession("s");

    expect(await keysOf(driver, "sessions", "turns", "memory")).toEqual([
      "sessions -/-/s2",
      "sessions -/-/s:1",
      "turns -/-/s2/000000000001",
      "turns -/-/s:1/000000000001",
      "memory -/-/s2",
      "memory -/-/s2/000000000001",
      "memory -/-/s:1",
      "memory -/-/s:1/000000000001",
    ]);
    expect(await loadNames(store)).toEqual([]);
  });

  it("deletes a session after earlier runs, and lets later runs create it anew", async () => {
    const store = new SessionStore(create());
    const session = await store.open("s", { owner: ada });
    const deleting = store.deleteSession("s", { owner: ada });
    const next = store.open("s", { owner: ada });
    await session.appendTurn(turnNamed("one"));
    session.release();
    await deleting;

    const anew = await next;
    await anew.appendTurn(turnNamed("first"));
    anew.release();
    expect((await store.readTurns("s", { owner: ada })).turns).toMatchObject([{ runId: "first", seq: 1 }]);
  });

  it("deletes a user's sessions, memory and facts in one tenant only [session.delete-user]", async () => {
    const driver = create();
    const store = new SessionStore(driver);
    for (const owner of [ada, bob, { ...ada, tenantId: "acme" }]) {
      for (const number of [1, 2]) {
        const sessionId = `of-${owner.userId}-${number}`;
        await withSession(store, (session) => session.appendTurn(turnNamed("one")), { sessionId, owner });
      }
    }
    await driver.set("memory", "-/ada/of-ada-1", { v: 1 });
    await driver.set("facts", "-/ada/1", { fact: "likes tea" });
    await driver.set("facts", "-/ada2/1", { fact: "likes milk" });

    await store.deleteUser("ada");

    expect(await keysOf(driver, "sessions", "memory", "facts")).toEqual([
      "sessions -/bob/of-bob-1",
      "sessions -/bob/of-bob-2",
      "sessions acme/ada/of-ada-1",
      "sessions acme/ada/of-ada-2",
      "facts -/ada2/1",
    ]);
    await store.deleteUser("ada", { tenantId: "acme" });
    expect((await store.listSessions({ ...ada, tenantId: "acme" })).sessions).toEqual([]);
  });

  it("deletes a user's damaged sessions too, and memory without a session", async () => {
    const driver = create();
    const store = new SessionStore(driver);
    await driver.set("sessions", "-/ada/damaged", { v: 1, owner: { userId: "ada" }, turns: "many" });
    await driver.set("sessions", "-/ada/ownerless", "nonsense");
    await driver.set("memory", "-/ada/sessionless", { v: 1 });
    await driver.set("sessions", "-/~ada/damaged", "nonsense");

    await store.deleteUser("ada");

    expect(await keysOf(driver, "sessions", "memory")).toEqual(["sessions -/~ada/damaged"]);
    expect(await store.listSessions(ada)).toEqual({ sessions: [] });
  });
});

async function keysOf(driver: StorageDriver, ...namespaces: string[]): Promise<string[]> {
  const keys: string[] = [];
  for (const namespace of namespaces) {
    keys.push(...(await driver.list(namespace)).map(({ key }) => `${namespace} ${key}`));
  }
  return keys;
}
