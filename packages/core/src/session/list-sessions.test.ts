import { afterEach, expect, it, vi } from "vitest";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
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
