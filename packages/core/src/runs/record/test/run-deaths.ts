import { expect } from "vitest";
import { ownerKey } from "../../../sessions/storage/owner-key.ts";
import type { StorageDriver } from "../../../sessions/storage/storage-driver.ts";
import type { DeathScene } from "../../../sessions/storage/test/each-death.ts";
import { readInput } from "../run-input.ts";
import { isEnded } from "../run-record.ts";
import type { RunRecord, RunStorage } from "../run-record.ts";
import { RunStore } from "../run-store.ts";
import { idsOf, newRecord } from "./run-records.ts";
import { RunWriteRecorder } from "../../../testing/run-write-recorder.ts";

/** The time of the processes that die, in epoch milliseconds. */
export const deathTime = 1000;

/** Another run, which no death and no recovery may change. */
const other = newRecord({ runId: "r0", createdAt: 1 });

const namespaces = ["runs", "run-open", "run-by", "run-log", "run-input", "run-inbox", "webhooks"];

/** Opens the store of a process, of several that accept runs. */
export function openStore(driver: StorageDriver, now: () => number = () => deathTime): RunStore {
  return new RunStore(driver as RunStorage, now, true);
}

/** Returns all keys that have to do with a run. */
export async function keysOf(driver: StorageDriver, runId: string): Promise<string[]> {
  const lists = await Promise.all(namespaces.map((namespace) => driver.list(namespace)));
  const all = lists.flatMap((list, index) => list.map(({ key }) => `${namespaces[index]} ${key}`));
  return all.filter((key) => key.includes(runId));
}

/**
 * Checks that each run that is listed can be read, that each run is listed once, and on the list of open ones while it
 * has to go on.
 */
async function expectListed(driver: StorageDriver): Promise<RunRecord[]> {
  const store = openStore(driver);
  const records = await Array.fromAsync(store.lists.listAll());
  expect((await idsOf(store, "host")).toSorted()).toEqual(idsIn(records));
  const own = records.filter(({ owner }) => ownerKey(owner) === ownerKey({ userId: "ada" }));
  expect((await idsOf(store, { userId: "ada" })).toSorted()).toEqual(idsIn(own));
  const open = (await driver.list("run-open")).map(({ key }) => key);
  const unfinished = records.filter(({ status }) => status === "queued" || status === "running");
  expect(open).toEqual(expect.arrayContaining(idsIn(unfinished)));
  for (const record of records) {
    if (!isEnded(record.status)) expect(await readInput(driver as RunStorage, record)).toBeDefined();
  }
  return records;
}

function idsIn(records: readonly RunRecord[]): string[] {
  return records.map(({ runId }) => runId).toSorted();
}

/**
 * Does what processes do from time to time: settles runs that are over, and removes what has no record or no time left.
 */
export async function sweep(driver: StorageDriver): Promise<void> {
  let now = deathTime;
  const store = openStore(driver, () => now);
  for (let round = 0; round < 3; round++, now += 100_000) {
    const pages = await Array.fromAsync(store.openRuns.list((error) => expect.unreachable(String(error))));
    for (const { runId } of pages.flat()) {
      const record = await store.read(runId);
      if (record === null) await store.lists.closeOrphan(runId);
      else if (isEnded(record.status)) await store.settle(record);
    }
    await store.flush();
    const expired = await Array.fromAsync(store.lists.listExpired());
    for (const { runId } of expired.flat()) await removeEnded(store, runId);
  }
}

async function removeEnded(store: RunStore, runId: string): Promise<void> {
  await store.finish(runId, { status: "cancelled" });
  await store.flush();
  const record = await store.read(runId);
  if (record !== null) await store.lists.remove(record);
}

/** Removes all runs that are over, by their age. */
export async function removeOld(driver: StorageDriver): Promise<void> {
  await openStore(driver).lists.removeOld(Infinity, Infinity);
}

/** A scene with a run that another user has. */
export type RunScene = {
  /** Stores what is there before. */
  seed?: Act;
  /** The work of the process that dies. */
  act: Act;
  /** The work of those after it, if that is another. */
  others?: Act;
  /** Checks what others find at each moment. */
  left?: Check;
  /** Checks what they find at last, also after a sweep. */
  done: Check;
};

type Act = (driver: StorageDriver) => Promise<unknown>;
type Check = (driver: StorageDriver) => Promise<void>;

/**
 * Makes a scene whose checks are those of all runs, too. The table of transitions allows all writes of all processes.
 */
export function runScene(create: () => StorageDriver, { seed, act, others = act, left, done }: RunScene): DeathScene {
  let acts = 0;
  const newRecorder = () => new RunWriteRecorder(["end", "wait", "answer"]);
  let recorder = newRecorder();
  return {
    create: async () => {
      acts = 0;
      recorder = newRecorder();
      const driver = recorder.watch(create());
      await openStore(driver).insert({ ...other, owner: { userId: "bob" } });
      await seed?.(driver);
      // What is there before need not have come by the code.
      recorder.violations.length = 0;
      return driver;
    },
    act: async (driver) => await (acts++ === 0 ? act : others)(driver),
    left: async (driver) => {
      await expectListed(driver);
      await left?.(driver);
    },
    done: async (driver) => {
      for (const pass of [async () => {}, sweep]) {
        await pass(driver);
        const records = await expectListed(driver);
        expect(records.filter(({ runId }) => runId === "r0")).toMatchObject([
          { status: "queued", owner: { userId: "bob" } },
        ]);
        await done(driver);
      }
      expect(recorder.violations).toEqual([]);
    },
  };
}
