import { describe, expect, inject, it } from "vitest";
import { prefixesOf, removeRuns } from "./run-removal.ts";
import { logKey } from "../../agents/journal/log-entry.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { atEachDeath } from "../../sessions/storage/test/each-death.ts";
import { putAnswer } from "../record/answers.ts";
import { byKeys } from "../record/run-keys.ts";
import type { EndStatus, RunRecord, RunStorage } from "../record/run-record.ts";
import { deathTime, keysOf, openStore, removeOld, runScene, sweep } from "../record/test/run-deaths.ts";
import type { RunScene } from "../record/test/run-deaths.ts";
import { runDrivers } from "../record/test/run-drivers.ts";
import { newRecord } from "../record/test/run-records.ts";

const ada = { userId: "ada" };
const isDeep = inject("trials") === "many";
const drivers = isDeep ? runDrivers : runDrivers.filter((_, index) => index % 2 === 0);
const placed = { runId: "r1", createdAt: 5 };
const run = newRecord(placed);

const allKinds: [what: string, record: RunRecord][] = [
  ["a run", run],
  ["a run of a caller without a user", newRecord({ ...placed, owner: {}, anonymous: "~192.0.2.1" })],
  ["a run with a long input", newRecord({ ...placed, input: "Go on. ".repeat(5000) })],
  ["a run with a time to live", newRecord({ ...placed, expiresAt: deathTime + 100_000 })],
];

const kinds = isDeep ? allKinds : allKinds.slice(0, 3);

/** The removals by which the runs of ada, or of her session, go. */
const removals: [what: string, prefixes: readonly string[]][] = [
  ["its user", prefixesOf(ada)],
  ["its session", [byKeys.session(ada, "s")]],
];

async function insert(driver: StorageDriver, record: RunRecord = run): Promise<void> {
  await openStore(driver).insert(record);
}

async function finish(driver: StorageDriver, status: EndStatus = "completed"): Promise<void> {
  const store = openStore(driver);
  await store.finish("r1", { status, output: "Done." });
  await store.flush();
}

async function insertWaiting(driver: StorageDriver): Promise<void> {
  await insert(driver);
  await suspend(driver);
}

async function suspend(driver: StorageDriver): Promise<void> {
  const store = openStore(driver);
  const waits = [{ id: "t.0", kind: "approval", about: null }] as const;
  const waiting = await store.suspend({ runId: "r1", attempts: 0 }, waits);
  if (waiting !== null) await store.openRuns.removeWaiting(waiting, await store.openRuns.read("r1"), undefined);
}

async function insertEnded(driver: StorageDriver, record?: RunRecord): Promise<void> {
  await insert(driver, record);
  await driver.set("run-log", logKey("r1", 1), { v: 1, entries: [] });
  await putAnswer(driver as RunStorage, { runId: "r1", waitId: "t.0" }, true);
  await driver.set("run-subscriptions", "open/r1/1", { v: 1 });
  await openStore(driver).change("r1", (stored) => ({ ...stored, isSubscribed: true }));
  await finish(driver);
}

/** Returns the status of the run. One whose time is over was as it should be. */
async function statusOf(driver: StorageDriver, { expiresAt }: RunRecord): Promise<string> {
  return (await openStore(driver).read("r1"))?.status ?? (expiresAt === undefined ? "lost" : "queued");
}

/** Checks that nothing is left of the run. The lists by time are read when that time has come. */
async function expectNothing(driver: StorageDriver): Promise<void> {
  expect((await keysOf(driver, "r1")).filter((key) => !/#ended|#expires/.test(key))).toEqual([]);
  await sweep(driver);
  await removeOld(driver);
  expect(await keysOf(driver, "r1")).toEqual([]);
}

describe.each(drivers)("the record of a run and a crash at any call, over storage with %s", (_offer, create) => {
  const expectAtEach = async (scene: RunScene) =>
    await atEachDeath(runScene(create, scene), isDeep ? "near" : "none", isDeep ? 1 : 4);

  it.each(kinds)("is there with its lists once %s is accepted again [durable.crash-points]", async (_what, record) => {
    await expectAtEach({
      act: async (driver) => await insert(driver, record),
      done: async (driver) => {
        expect(await statusOf(driver, record)).toBe("queued");
      },
    });
  });

  it.each(kinds)(
    "leaves nothing behind if it is not there and %s is not asked for again [durable.crash-points]",
    async (_what, record) => {
      await expectAtEach({
        act: async (driver) => await insert(driver, record),
        others: sweep,
        done: async (driver) => {
          if ((await openStore(driver).read("r1")) === null) await expectNothing(driver);
        },
      });
    },
  );

  it.each(kinds)(
    "is there once if two processes accept %s, and is removed whole [durable.crash-points]",
    async (_what, record) => {
      await expectAtEach({
        act: async (driver) => await insert(driver, record),
        others: async (driver) => {
          await insert(driver, { ...record, createdAt: 7, sessionId: "s2" });
          await finish(driver);
          await removeOld(driver);
        },
        done: expectNothing,
      });
    },
  );

  it.each(kinds)(
    "has one end, with which %s is on no list of open ones [durable.crash-points]",
    async (_what, record) => {
      let first: string | undefined;
      const keepsEnd = async (driver: StorageDriver) => {
        const status = await statusOf(driver, record);
        if (status !== "queued") first ??= status;
        expect(status).toBe(first ?? "queued");
      };
      await expectAtEach({
        seed: async (driver) => {
          first = undefined;
          await insert(driver, record);
        },
        act: async (driver) => await finish(driver),
        others: async (driver) => await finish(driver, "cancelled"),
        left: keepsEnd,
        done: async (driver) => {
          if ((await openStore(driver).read("r1")) !== null) await keepsEnd(driver);
          expect(first).toMatch(/completed|cancelled/);
          const keys = await keysOf(driver, "r1");
          expect(keys.filter((key) => /open|anonymous/.test(key))).toEqual([]);
        },
      });
    },
  );

  it.each(kinds)(
    "leaves nothing behind once the lists of %s without a record were removed [durable.crash-points]",
    async (_what, record) => {
      await expectAtEach({
        seed: async (driver) => {
          await insert(driver, record);
          await driver.delete("runs", "r1");
        },
        act: sweep,
        done: expectNothing,
      });
    },
  );

  it("waits off the list of open runs once that was tried again [durable.crash-points]", async () => {
    await expectAtEach({
      seed: insert,
      act: suspend,
      done: async (driver) => {
        expect(await openStore(driver).read("r1")).toMatchObject({ status: "waiting" });
        expect(await driver.get("run-open", "r1")).toBeNull();
      },
    });
  });

  it("is woken once, and then on the list of open runs [durable.crash-points]", async () => {
    await expectAtEach({
      seed: async (driver) => {
        await insertWaiting(driver);
        await openStore(driver).openRuns.hold(run);
      },
      act: async (driver) => await openStore(driver).wake("r1"),
      done: async (driver) => {
        expect(await openStore(driver).read("r1")).toMatchObject({ status: "queued", activation: 2 });
        expect(await driver.get("run-open", "r1")).not.toBeNull();
      },
    });
  });

  describe.each(kinds)("of %s", (_what, record) => {
    it("is removed whole when it is old, with all that belongs to it [durable.crash-points]", async () => {
      await expectAtEach({
        seed: async (driver) => await insertEnded(driver, record),
        act: removeOld,
        done: expectNothing,
      });
    });

    it.each(removals)(
      "is removed whole with %s, if that is removed again [durable.crash-points]",
      async (_by, prefixes) => {
        if (record.owner.userId === undefined) return;
        await expectAtEach({
          seed: async (driver) => await insertEnded(driver, record),
          act: async (driver) => {
            const store = openStore(driver);
            await removeRuns(store, prefixes, (each) => store.lists.remove(each));
          },
          done: expectNothing,
        });
      },
    );
  });
});
