import { afterEach, expect, it, vi } from "vitest";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import { listSessions } from "./list-sessions.ts";
import { SessionStore } from "./session-store.ts";
import { appendAll } from "./test/turns.ts";

afterEach(() => void vi.restoreAllMocks());

it("lists a session with the time that it is read with, also of a turn that was counted between two milliseconds", async () => {
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

it.each([{ userId: "ada", tenantId: "acme" }, { userId: "bob" }, { userId: "ada", verified: false }])(
  "lists a session of one storage that %j has by the same id in another",
  async (other) => {
    const [first, second] = [new InMemoryStorage(), new InMemoryStorage()];
    const owner = { userId: "ada" };
    await appendAll(new SessionStore(first), ["theirs"], { owner: other });
    await appendAll(new SessionStore(second), ["own"], { owner });
    const { sessions } = await listSessions([first, second], { owner, limit: 10, after: undefined });

    expect(sessions.map(({ sessionId }) => sessionId)).toEqual(["s"]);
  },
);
