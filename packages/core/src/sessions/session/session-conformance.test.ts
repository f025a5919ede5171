import { describe, expect, it } from "vitest";
import { BoundedStorage } from "../storage/bounded-storage.ts";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { drivers } from "../storage/test/drivers.ts";
import { FaultInjector } from "../storage/test/fault-injector.ts";
import { checkConformance } from "../../testing/conformance/check-conformance.ts";
import { sessionTurnDeletionCases } from "../../testing/conformance/session-turn-deletion-cases.ts";
import { sessionLargeDataCases } from "../../testing/conformance/session-large-data-cases.ts";
import { sessionListCases } from "../../testing/conformance/session-list-cases.ts";
import { sessionTitleCases } from "../../testing/conformance/session-title-cases.ts";
import { storeTurns } from "../../testing/conformance/session-turns.ts";
import { SessionStore } from "./session-store.ts";

const all: [offer: string, create: () => StorageDriver][] = [
  ...drivers,
  ["everything, within bounds", () => new BoundedStorage()],
];

describe.each(all)(
  "SessionStore over storage with %s [session.list] [session.title] [session.rename] [session.delete-turns] [session.delete-turns-busy] [session.parts]",
  (_, create) => {
    checkConformance(it, sessionListCases, { create });
    checkConformance(it, sessionTitleCases, { create });
    checkConformance(it, sessionTurnDeletionCases, { create });
    checkConformance(it, sessionLargeDataCases, { create });
  },
);

it("a SessionStore lists twenty sessions by default, and says where the next page begins [session.list]", async () => {
  const store = new SessionStore(new InMemoryStorage());
  const owner = { userId: "ada" };
  for (let number = 0; number < 21; number++) await storeTurns(store, { sessionId: `s${number}`, owner });

  const { sessions, next } = await store.listSessions(owner);
  const rest = await store.listSessions(owner, { after: next });

  expect(sessions.map(({ sessionId }) => sessionId)).toEqual(
    Array.from({ length: 20 }, (_, index) => `s${20 - index}`),
  );
  expect(rest).toMatchObject({ sessions: [{ sessionId: "s0" }] });
  expect(rest).not.toHaveProperty("next");
});

it("a SessionStore reads a page of the list and one session more, however many sessions there are [session.list-cost]", async () => {
  const storage = new FaultInjector(new InMemoryStorage());
  const store = new SessionStore(storage.driver);
  const owner = { userId: "ada" };
  for (let number = 0; number < 300; number++) await storeTurns(store, { sessionId: `s${number}`, owner });
  const first = await store.listSessions(owner, { limit: 10 });
  storage.calls.length = 0;

  const { sessions } = await store.listSessions(owner, { limit: 10, after: first.next });

  expect(sessions.map(({ sessionId }) => sessionId)).toEqual(
    Array.from({ length: 10 }, (_, index) => `s${289 - index}`),
  );
  expect(storage.calls).toEqual(["list of 11", ...Array.from({ length: 11 }, () => "get")]);
});

it("sessions in one InMemoryStorage do not wait for those in another [storage.in-memory]", async () => {
  const busy = new SessionStore(new InMemoryStorage(), { onBusy: "reject" });
  const free = new SessionStore(new InMemoryStorage(), { onBusy: "reject" });
  const session = await busy.open("s");

  await expect(busy.open("s")).rejects.toMatchObject({ code: "conflict" });
  (await free.open("s")).release();
  session.release();
});
