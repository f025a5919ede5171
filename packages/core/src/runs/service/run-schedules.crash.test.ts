import { describe, expect, it } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { toJson } from "../../sessions/storage/check-json.ts";
import { runDrivers } from "../record/test/run-drivers.ts";
import type { RunStorage } from "../record/run-record.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { atEachDeath } from "../../sessions/storage/test/each-death.ts";
import type { DeathScene } from "../../sessions/storage/test/each-death.ts";
import type { Schedule, Schedules } from "../processes/run-engine.ts";
import { RunSchedules } from "./run-schedules.ts";
import type { RunSchedule } from "./run-schedules.ts";
import { scriptedAgent } from "./test/services.ts";

const old: RunSchedule = { id: "daily", everyMs: 5000, request: { kind: "agent", name: "a", input: "Old." } };
const changed: RunSchedule = { id: "daily", everyMs: 7000, request: { kind: "agent", name: "a", input: "New." } };
const other: RunSchedule = { ...old, id: "other" };
const wrong: RunSchedule = { id: "daily", cron: "wrong", timeZone: "UTC", request: changed.request };

/** The schedules of an engine whose calls are those of the storage, so that a process may die at each. */
class StoredSchedules implements Schedules {
  readonly driver: StorageDriver;

  constructor(driver: StorageDriver) {
    this.driver = driver;
  }

  async put(schedule: Schedule): Promise<void> {
    if (schedule.cron === "wrong") throw new TroupeError("invalid_request", "This cron expression cannot be read.");
    await this.driver.set("engine", schedule.id, toJson(schedule));
  }

  async remove(id: string): Promise<void> {
    await this.driver.delete("engine", id);
  }

  async list(): Promise<Schedule[]> {
    return (await this.driver.list("engine")).map(({ value }) => value as unknown as Schedule);
  }
}

function schedulesOf(driver: StorageDriver): RunSchedules {
  return new RunSchedules({
    schedules: new StoredSchedules(driver),
    storage: driver as RunStorage,
    registries: { agents: { a: scriptedAgent([]) } },
    logger: undefined,
    accept: async () => expect.unreachable(),
  });
}

async function putWrong(driver: StorageDriver): Promise<void> {
  const error: unknown = await schedulesOf(driver)
    .put(wrong)
    .then(
      () => undefined,
      (reason: unknown) => reason,
    );
  if (!TroupeError.is(error)) throw error;
}

/** Checks that the storage and the engine have these schedules, once a process has begun to serve. */
async function expectSchedules(driver: StorageDriver, wanted: readonly (readonly RunSchedule[])[]): Promise<void> {
  await schedulesOf(driver).restore();
  const listed = await schedulesOf(driver).list();
  expect(wanted).toContainEqual(listed);
  const times = listed.map(({ request: _request, ...schedule }) => schedule);
  expect(await new StoredSchedules(driver).list()).toEqual(times);
}

type Scene = Pick<DeathScene, "act"> & { before: readonly RunSchedule[]; after: readonly RunSchedule[] };

describe.each(runDrivers)(
  "a schedule and a crash at any call of its change, over storage with %s",
  (_offer, create) => {
    async function expectAtEach({ before, after, act }: Scene): Promise<void> {
      await atEachDeath({
        create: async () => {
          const driver = create();
          for (const schedule of before) await schedulesOf(driver).put(schedule);
          return driver;
        },
        act,
        left: async (driver) => await expectSchedules(driver, [before, after]),
        done: async (driver) => await expectSchedules(driver, [after]),
      });
    }

    it("is there, in the storage and in the engine, once it is put again [durable.crash-points]", async () => {
      await expectAtEach({
        before: [other],
        after: [old, other],
        act: async (driver) => await schedulesOf(driver).put(old),
      });
    });

    it("is the old one or the new one, and never none [durable.crash-points]", async () => {
      const act = async (driver: StorageDriver) => await schedulesOf(driver).put(changed);
      await expectAtEach({ before: [old, other], after: [changed, other], act });
    });

    it("stays as it was when its change is refused, and keeps no other one from the engine [durable.crash-points]", async () => {
      await expectAtEach({ before: [old, other], after: [old, other], act: putWrong });
      await expectAtEach({ before: [other], after: [other], act: putWrong });
    });

    it("is gone from both once its removal is repeated [durable.crash-points]", async () => {
      const act = async (driver: StorageDriver) => {
        const schedules = schedulesOf(driver);
        await schedules.remove("daily");
      };
      await atEachDeath({
        create: async () => {
          const driver = create();
          for (const schedule of [old, other]) await schedulesOf(driver).put(schedule);
          return driver;
        },
        act,
        left: async (driver) => expect((await schedulesOf(driver).list()).length).toBeGreaterThan(0),
        done: async (driver) => await expectSchedules(driver, [[other]]),
      });
    });
  },
);
