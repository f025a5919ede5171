import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import { listSessions } from "./list-sessions.ts";
import { namespaces } from "./session-keys.ts";
import { SessionStore } from "./session-store.ts";
import { appendAll } from "./test/turns.ts";

afterEach(() => void vi.restoreAllMocks());

it("listSessions lists a session with the time that it is read with, also of a turn that was counted between two milliseconds", async () => {
  const begun = Date.now();
  let calls = 0;
  vi.spyOn(Date, "now").mockImplementation(() => begun + calls++);
  const store = new SessionStore(new InMemoryStorage());
  const owner = { userId: "ada" };
  await appendAll(store, ["a", "b"], { owner });
  const { sessions } = await store.listSessions(owner);

  expect(sessions).toHaveLength(1);
  expect(sessions).toEqual([await store.readSession(sessions[0]?.sessionId ?? "", { owner })]);
});

it("listSessions leaves the entry of a session that is about to be created, and removes one that is a day old", async () => {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const storage = new InMemoryStorage();
  const store = new SessionStore(storage);
  const owner = { userId: "ada" };
  await appendAll(store, ["a"], { owner });
  const [entry] = await storage.list(namespaces.recent);
  const [session] = await storage.list(namespaces.sessions);
  await storage.delete(namespaces.sessions, session?.key ?? "");

  expect((await store.listSessions(owner)).sessions).toEqual([]);
  expect(await storage.list(namespaces.recent)).toEqual([entry]);
  await storage.set(namespaces.sessions, session?.key ?? "", session?.value ?? null);
  expect((await store.listSessions(owner)).sessions).toHaveLength(1);

  await storage.delete(namespaces.sessions, session?.key ?? "");
  vi.setSystemTime(Date.now() + 25 * 3_600_000);
  expect((await store.listSessions(owner)).sessions).toEqual([]);
  expect(await storage.list(namespaces.recent)).toEqual([]);
});

it.each([{ userId: "ada", tenantId: "acme" }, { userId: "bob" }, { userId: "ada", verified: false }])(
  "listSessions lists a session of one storage that %j has by the same id in another",
  async (other) => {
    const [first, second] = [new InMemoryStorage(), new InMemoryStorage()];
    const owner = { userId: "ada" };
    await appendAll(new SessionStore(first), ["theirs"], { owner: other });
    await appendAll(new SessionStore(second), ["own"], { owner });
    const { sessions } = await listSessions([first, second], { owner, limit: 10, after: undefined });

    expect(sessions.map(({ sessionId }) => sessionId)).toEqual(["s"]);
  },
);
