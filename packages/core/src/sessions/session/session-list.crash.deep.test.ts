import { afterEach, beforeEach, describe, expect, inject, it, vi } from "vitest";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { drivers } from "../storage/test/drivers.ts";
import { deaths, DyingDriver } from "../storage/test/dying-driver.ts";
import { sessionKey } from "./session-keys.ts";
import { SessionStore } from "./session-store.ts";
import { turnNamed, withSession } from "./test/turns.ts";

const owner = { userId: "ada" };
/** The share of the calls at which a process dies. */
const oneIn = { few: 4, many: 1 }[inject("trials")];
const cases = drivers.flatMap(([offer, create]) => deaths.map((death) => ({ offer, create, death })));

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

/** Moves the clock on. */
function later(ms: number): void {
  vi.setSystemTime(Date.now() + ms);
}

describe.each(cases)(
  "the list of sessions after a crash $death call, over storage with $offer",
  ({ create, death }) => {
    it.each([1, 2, 10])(
      "has each session once, at its old or its new place, in pages of %i [session.list-crash]",
      async (limit) => {
        for (let atCall = 1; ; atCall += oneIn) {
          const driver = await seeded(create);
          const store = new SessionStore(driver);
          // The process that dies has a clock of its own, which may be two milliseconds behind.
          later(3);
          const isOver = await crash(driver, { atCall, death }, async (dying) => {
            for (const id of ["b", "a"]) await addTurn(dying, id);
          });

          for (const _ of ["as it was left", "as the listing mended it"]) {
            expect(["c b a", "b c a", "a b c"]).toContain((await listIds(store, limit, isOver)).join(" "));
          }
          // Another process comes later, if only by the clock's finest step.
          later(2);
          await addTurn(store, "c");
          const after = await listIds(store, limit, isOver);
          expect([after[0], after.toSorted()]).toEqual(["c", ["a", "b", "c"]]);
          if (isOver) return;
        }
      },
    );

    it("has each session once when a second crash follows, of the same session or another", async () => {
      for (let number = 1; ; number += oneIn) {
        let isOver = false;
        for (const second of ["a", "b"]) {
          for (const atCall of [number, number + 1]) {
            const driver = await seeded(create);
            isOver = await crash(driver, { atCall: number, death }, async (dying) => await addTurn(dying, "a"));
            await addTurn(new SessionStore(driver), "a");
            await crash(driver, { atCall, death }, async (dying) => await addTurn(dying, second));

            expect((await listIds(new SessionStore(driver), 1)).toSorted()).toEqual(["a", "b", "c"]);
          }
        }
        if (isOver) return;
      }
    });

    it("has a new session if its record was created", async () => {
      for (let atCall = 1; ; atCall += oneIn) {
        const driver = await seeded(create);
        const store = new SessionStore(driver);
        const isOver = await crash(driver, { atCall, death }, async (dying) => await addTurn(dying, "new"));

        const listed = await listIds(store, 2);
        expect(listed.toSorted()).toEqual((await exists(store, "new")) ? ["a", "b", "c", "new"] : ["a", "b", "c"]);
        await addTurn(store, "new");
        expect(await listIds(store, 2)).toEqual(["new", "c", "b", "a"]);
        if (isOver) return;
      }
    });

    it("has a deleted session if its record is still there", async () => {
      for (let atCall = 1; ; atCall += oneIn) {
        const driver = await seeded(create);
        const store = new SessionStore(driver);
        const isOver = await crash(driver, { atCall, death }, (dying) => dying.deleteSession("b", { owner }));

        expect(await listIds(store, 2)).toEqual((await exists(store, "b")) ? ["c", "b", "a"] : ["c", "a"]);
        if (isOver) return;
      }
    });
  },
);

/** Makes a storage with the sessions a, b and c, in the order of their turns. */
async function seeded(create: () => StorageDriver): Promise<StorageDriver> {
  const driver = create();
  for (const id of ["a", "b", "c"]) await addTurn(new SessionStore(driver), id);
  return driver;
}

/** Lets a process crash at a storage call. Returns true when it was done before. */
async function crash(
  driver: StorageDriver,
  plan: ConstructorParameters<typeof DyingDriver>[1],
  act: (store: SessionStore) => Promise<void>,
): Promise<boolean> {
  const dying = new DyingDriver(driver, plan);
  await act(new SessionStore(dying.driver)).catch(() => undefined);
  // Its lease has expired.
  for (const id of ["a", "b", "c", "new"]) await driver.delete("locks", sessionKey(owner, id));
  return !dying.hasDied;
}

let turns = 0;

async function addTurn(store: SessionStore, sessionId: string): Promise<void> {
  turns += 1;
  await withSession(store, (session) => session.appendTurn(turnNamed(`turn ${turns}`)), { sessionId, owner });
}

async function exists(store: SessionStore, sessionId: string): Promise<boolean> {
  return await store.readSession(sessionId, { owner }).then(
    () => true,
    () => false,
  );
}

/** Lists the sessions. Of a crash one may be left at its old place, with the time of its new turn: `isInOrder` is false then. */
async function listIds(store: SessionStore, limit: number, isInOrder = false): Promise<string[]> {
  const ids: string[] = [];
  let after: string | undefined;
  do {
    const { sessions, next } = await store.listSessions(owner, { limit, after });
    if (isInOrder) expectNewestFirst(sessions);
    ids.push(...sessions.map(({ sessionId }) => sessionId));
    after = next;
  } while (after !== undefined && ids.length < 20);
  return ids;
}

function expectNewestFirst(sessions: readonly { updatedAt: number }[]): void {
  const times = sessions.map(({ updatedAt }) => updatedAt);
  expect(times).toEqual(times.toSorted((one, other) => other - one));
}
