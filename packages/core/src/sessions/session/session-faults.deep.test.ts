import { describe, expect, inject, it, vi } from "vitest";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { readProperty } from "../../base/util/read-property.ts";
import { SessionStore } from "./session-store.ts";
import { drivers } from "../storage/test/drivers.ts";
import { FaultInjector, faults } from "../storage/test/fault-injector.ts";
import type { Fault } from "../storage/test/fault-injector.ts";
import { MapStorage } from "../storage/test/map-storage.ts";
import { appendAll, loadNames, turnNamed, withSession } from "./test/turns.ts";
import { sessionQueuesOf } from "../lock/session-queues.ts";

const cases = drivers.flatMap(([offer, create]) => faults.map((fault) => ({ offer, create, fault })));
/** The share of the calls that go wrong. */
const oneIn = { few: 3, many: 1 }[inject("trials")];
const seeds: string[][] = [[], ["a", "b", "c"]];

describe.each(cases)("SessionStore over storage with $offer that $fault", ({ create, fault }) => {
  it.each(seeds)("stores no half turn and loses no turn, whichever call fails (%s)", async (...earlier) => {
    const strikes = await forEachCall(create, fault, async ({ store, watched, abort, plan }) => {
      await appendAll(store, earlier);
      plan();

      const isAcknowledged = await tryRun(store, abort.signal);
      watched.disarm();

      const names = await loadNames(store);
      const whole = [...earlier, "x"];
      expect(isAcknowledged ? [whole] : [whole, earlier]).toContainEqual(names);
      await expectGoesOn(store, watched.driver, names);
    });
    expect(strikes).toBeGreaterThanOrEqual(4);
  });

  it("stores a turn once that is appended again, whichever call fails", async () => {
    await forEachCall(create, fault, async ({ store, watched, abort, plan }) => {
      await appendAll(store, ["a"]);
      await withSession(store, async (session) => {
        plan();
        const appended = await session.appendTurn(turnNamed("x"), abort.signal).then(
          () => true,
          () => false,
        );
        const again = appended ? undefined : session.appendTurn(turnNamed("x"));
        watched.disarm();
        await again;
      });

      await expectGoesOn(store, watched.driver, ["a", "x"]);
    });
  });

  it("lets a deletion be repeated, whichever call fails", async () => {
    await forEachCall(create, fault, async ({ store, watched, abort, plan }) => {
      await appendAll(store, ["a", "b"]);
      plan();
      await store.deleteSession("s", { signal: abort.signal }).catch(() => {});
      watched.disarm();

      // The record goes last, so that what is left still has an owner who can delete it.
      const error: unknown = await store.deleteSession("s").catch((thrown: unknown) => thrown);

      expect([undefined, "not_found"]).toContain(readProperty(error, "code"));
      expect(await watched.driver.list("turns")).toEqual([]);
      await expectGoesOn(store, watched.driver, []);
    });
  });
});

const counting: [offer: string, create: () => StorageDriver, counting: [call: number, name: string]][] = [
  ["the five required methods", () => new MapStorage(), [5, "set"]],
  ["append", () => new InMemoryStorage(), [3, "compareAndSet"]],
];

it.each(counting)(
  "a session acknowledges a turn that was stored but could not be counted, over %s",
  async (_, create, [atCall, call]) => {
    const watched = new FaultInjector(create());
    const store = new SessionStore(watched.driver);
    await appendAll(store, ["a"]);
    watched.plan({ fault: "fails before it did anything", atCall });

    await appendAll(store, ["x"]);

    expect(watched.calls.at(-1)).toBe(call);
    expect(await store.readSession("s")).toMatchObject({ turns: 1 });
    await expectGoesOn(store, watched.driver, ["a", "x"]);
  },
);

type Trial = { store: SessionStore; watched: FaultInjector; abort: AbortController; plan: () => void };

/** Runs the scenario with the fault at the first call, then at the second, and so on until no call is left to fail. */
async function forEachCall(
  create: () => StorageDriver,
  fault: Fault,
  scenario: (trial: Trial) => Promise<void>,
): Promise<number> {
  for (let atCall = 1; ; atCall += oneIn) {
    const watched = new FaultInjector(create());
    const abort = new AbortController();
    const plan = () => watched.plan({ fault, atCall, onHang: () => abort.abort() });
    await scenario({ store: new SessionStore(watched.driver), watched, abort, plan });
    if (!watched.hasStruck) return atCall - 1;
  }
}

/** A run that loads and appends; says whether its turn was acknowledged. */
async function tryRun(store: SessionStore, signal: AbortSignal): Promise<boolean> {
  try {
    return await withSession(
      store,
      async (session) => {
        await session.loadTurns(2, signal);
        await session.appendTurn(turnNamed("x"), signal);
        return true;
      },
      { signal },
    );
  } catch {
    return false;
  }
}

/** Checks that the session works as if nothing had happened: whole turns, a correct counter, an empty queue. */
async function expectGoesOn(store: SessionStore, driver: StorageDriver, earlier: readonly string[]): Promise<void> {
  await appendAll(store, ["y"]);

  const { turns } = await store.readTurns("s", { limit: 100 });
  expect(turns).toMatchObject([...earlier, "y"].map(turnNamed));
  expect(await store.readSession("s")).toMatchObject({ turns: turns.at(-1)?.seq });
  await vi.waitFor(() => expect(sessionQueuesOf(driver).busyKeys).toBe(0));
}
