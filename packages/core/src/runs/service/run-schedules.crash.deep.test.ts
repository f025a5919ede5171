import { describe, expect, inject, it } from "vitest";
import { runDrivers } from "../record/test/run-drivers.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { atEachDeath } from "../../sessions/storage/test/each-death.ts";
import type { DeathScene, SecondDeaths } from "../../sessions/storage/test/each-death.ts";
import type { RunSchedule } from "../schedules/schedule-record.ts";
import { BegunRuns, ScheduleNode } from "./test/schedule-node.ts";

const start = Date.UTC(2027, 0, 1);
const owner = { userId: "ada" };
/** The calls at which a process dies a second time, and the share of those at which it dies. */
const trials: [SecondDeaths, number] = inject("trials") === "many" ? ["near", 1] : ["none", 4];
const old: RunSchedule = { id: "daily", everyMs: 5000, request: { kind: "agent", name: "a", input: "Old." } };
const changed: RunSchedule = { ...old, everyMs: 7000, request: { ...old.request, input: "New." } };
const other: RunSchedule = { ...old, id: "other" };

/** A process that begins runs over a storage, at a time. */
function nodeOf(storage: StorageDriver, now = start): ScheduleNode {
  return new ScheduleNode({ storage, runs: new BegunRuns(), now: () => now });
}

/** Checks that the owner finds the schedules of one of these lists, and that each begins its run. */
async function expectSchedules(driver: StorageDriver, wanted: readonly (readonly RunSchedule[])[]): Promise<void> {
  const { schedules } = nodeOf(driver);
  const listed = await schedules.list(owner);
  const inputs = (all: readonly RunSchedule[]) => all.map(({ id, request }) => `${id} ${String(request.input)}`);
  expect(wanted.map(inputs)).toContainEqual(inputs(listed));
  expect(inputs(await schedules.list())).toEqual(inputs(listed));
  const due = (await driver.list("schedule-due")).map(({ key }) => key.split("/")[1]);
  for (const { id, nextAt } of listed) {
    expect(due).toContain(id);
    expect(nextAt).toBeGreaterThan(start);
  }
}

type Scene = Pick<DeathScene, "act"> & { before: readonly RunSchedule[]; after: readonly RunSchedule[] };

describe.each(runDrivers)("a schedule and a crash at any call, over storage with %s", (_offer, create) => {
  async function made(before: readonly RunSchedule[]): Promise<StorageDriver> {
    const driver = create();
    for (const schedule of before) await nodeOf(driver).schedules.put(schedule, owner);
    return driver;
  }

  async function expectAtEach({ before, after, act }: Scene): Promise<void> {
    const scene: DeathScene = {
      create: async () => await made(before),
      act,
      left: async (driver) => await expectSchedules(driver, [before, after]),
      done: async (driver) => await expectSchedules(driver, [after]),
    };
    await atEachDeath(scene, ...trials);
  }

  it("a crash at any call of a schedule's creation leaves it in all lists once it is put again [durable.crash-points]", async () => {
    const act = async (driver: StorageDriver) => await nodeOf(driver).schedules.put(old, owner);
    await expectAtEach({ before: [other], after: [old, other], act });
  });

  it("a crash at any call of a schedule's change leaves the old schedule or the new schedule, and never none [durable.crash-points]", async () => {
    const act = async (driver: StorageDriver) => await nodeOf(driver).schedules.put(changed, owner);
    await expectAtEach({ before: [old, other], after: [changed, other], act });
  });

  it("a crash at any call of a schedule's removal leaves nothing of it once the removal is repeated [durable.crash-points]", async () => {
    const act = async (driver: StorageDriver) => await nodeOf(driver).schedules.remove("daily");
    await expectAtEach({ before: [old, other], after: [other], act });
  });

  it("a crash at any call of a schedule's pause leaves a schedule that goes on later with its next time [durable.crash-points]", async () => {
    await atEachDeath(
      {
        create: async () => await made([old]),
        act: async (driver) => {
          await nodeOf(driver).schedules.pause("daily", owner);
          await nodeOf(driver, start + 6000).schedules.resume("daily", owner);
        },
        left: async (driver) => expect(await nodeOf(driver).schedules.list(owner)).toHaveLength(1),
        done: async (driver) => {
          expect(await nodeOf(driver).schedules.get("daily")).toMatchObject({
            status: "active",
            nextAt: start + 10_000,
          });
        },
      },
      ...trials,
    );
  });

  it("a crash at any call of a process that begins a schedule's runs lets each time begin once, and stand in the history [durable.crash-points]", async () => {
    const storages = new WeakMap<StorageDriver, BegunRuns>();
    await atEachDeath(
      {
        create: async () => {
          const runs = new BegunRuns();
          const driver = runs.makeStorage();
          storages.set(driver, runs);
          await nodeOf(driver).schedules.put({ ...old, missed: "all", overlap: "queue" }, owner);
          return driver;
        },
        act: async (driver) => {
          // The clock of each process is a little ahead of that of the last one.
          for (const afterMs of [5000, 6000, 12_000, 20_000]) {
            await nodeOf(driver, start + afterMs).runner.pass();
          }
          // A process that has died passes without an error.
          await driver.get("schedules", "daily");
        },
        left: async (driver) => {
          const keys = storages.get(driver)?.begun ?? [];
          expect(new Set(keys).size).toBe(keys.length);
        },
        done: async (driver) => {
          expect(storages.get(driver)?.begun).toEqual(
            [5, 10, 15, 20].map((seconds) => `daily ${start + seconds * 1000}`),
          );
          const { history, pending } = await nodeOf(driver).schedules.get("daily");
          expect(pending).toEqual([]);
          expect(history.map(({ status, at }) => `${status} ${(at - start) / 1000}`)).toEqual([
            "begun 20",
            "begun 15",
            "begun 10",
            "begun 5",
          ]);
        },
      },
      ...trials,
    );
  });
});
