import { describe, expect, it } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { atEachCall } from "../../sessions/storage/test/at-each-call.ts";
import { readOpenRun } from "./open-runs.ts";
import { isEnded } from "./run-record.ts";
import type { RunRecord, RunStorage } from "./run-record.ts";
import { RunStore } from "./run-store.ts";
import { contentsOf } from "./test/contents.ts";
import { newRecord } from "./test/run-records.ts";

const runId = "r1";
const wait = { id: "t.0", kind: "approval", about: null } as const;
const upgrade = { ...wait, kind: "upgrade" } as const;

/** Stores a run that waits, which is listed as open because of a message, or is not listed. */
async function waitingRun(isListed: boolean): Promise<RunStorage> {
  const storage = new InMemoryStorage();
  const store = storeOf(storage);
  await store.insert(newRecord({ runId, createdAt: 4, status: "waiting", waits: [wait] }));
  if (!isListed) await storage.delete("run-open", runId);
  return storage;
}

async function recordIn(storage: RunStorage): Promise<RunRecord> {
  const record = await storeOf(storage).readStored(runId);
  if (record === null) throw new Error("The run is gone.");
  return record;
}

function storeOf(storage: RunStorage, now = 100): RunStore {
  return new RunStore(storage, () => now, true);
}

/** The work of a faster process on the same run, from the state in which it finds the run. */
const faster: readonly [what: string, work: (store: RunStore) => Promise<unknown>][] = [
  [
    "ends the run",
    async (store) => {
      await store.wake(runId);
      await store.finish(runId, { status: "completed", output: "Done." });
    },
  ],
  [
    "ends and removes the run",
    async (store) => {
      await store.finish(runId, { status: "cancelled" });
      const record = await store.read(runId);
      if (record !== null) await store.lists.remove(record);
    },
  ],
  ["lets the run wait again", letWait],
  [
    "lets the run wait again, and wakes it",
    async (store) => {
      await letWait(store);
      await store.wake(runId);
    },
  ],
];

async function letWait(store: RunStore): Promise<void> {
  await store.wake(runId);
  const waiting = await store.suspend({ runId, attempts: 1 }, [wait]);
  if (waiting !== null) await store.openRuns.removeWaiting(waiting, await store.openRuns.read(runId), undefined);
}

/** Returns true if the list of open runs agrees with the run's record. */
async function isRight(storage: RunStorage, wasListed: boolean): Promise<boolean> {
  const store = storeOf(storage);
  const [record, open] = [await store.readStored(runId), await store.openRuns.read(runId)];
  if (record === null || isEnded(record.status)) return open === null;
  if (record.status === "queued") return open !== null && readOpenRun(open, runId).activation === record.activation;
  // A run that was not listed may be listed while it waits: the next sweep removes it.
  return open === null || !wasListed;
}

describe.each([
  ["listed", true],
  ["not listed", false],
])("a run that is %s when a slow process wakes it", (_state, isListed) => {
  it.each(faster)("agrees with the list, whenever a faster process %s", async (_what, work) => {
    await atEachCall(async (slowed, at) => {
      const storage = await waitingRun(isListed);
      await storeOf(slowed(storage, async () => await work(storeOf(storage, 200)))).wake(runId);
      expect([at, await isRight(storage, isListed)]).toEqual([at, true]);
    });
  });
});

describe.each([
  ["listed", true],
  ["not listed", false],
])("a run that is %s when a slow process holds it for a message", (_state, isListed) => {
  it.each(faster)("is held with its newest entry, whenever a faster process %s", async (_what, work) => {
    await atEachCall(async (slowed, at) => {
      const storage = await waitingRun(isListed);
      const known = await recordIn(storage);
      const slow = slowed(storage, async () => await work(storeOf(storage, 200)));
      await storeOf(slow, 300).openRuns.hold(known);
      const [record, open] = [await storeOf(storage).readStored(runId), await storeOf(storage).openRuns.read(runId)];
      const entry = open === null ? null : readOpenRun(open, runId);
      expect([at, entry?.heldAt, entry?.isTimed]).toEqual([at, 300, undefined]);
      // A run that has ended meanwhile may stay listed: the next sweep removes it.
      const newest = record?.status === "queued" ? record.activation : entry?.activation;
      expect([at, entry?.activation]).toEqual([at, newest]);
    });
  });

  it("keeps the earliest time of its entry, and takes the newer of the two activations", async () => {
    const storage = await waitingRun(isListed);
    const record = await recordIn(storage);
    const held = async (now: number, activation: number) => {
      await storeOf(storage, now).openRuns.hold({ ...record, activation });
      const open = await storeOf(storage).openRuns.read(runId);
      return open === null ? null : readOpenRun(open, runId);
    };
    const submittedAt = isListed ? 100 : 200;
    expect(await held(200, 3)).toMatchObject({ submittedAt, heldAt: 200, activation: 3 });
    expect(await held(300, 2)).toMatchObject({ submittedAt, heldAt: 300, activation: 3 });
    expect(await held(400, 4)).toMatchObject({ submittedAt, heldAt: 400, activation: 4 });
  });
});

describe("RunStore.relist", () => {
  const entryOf = async (storage: RunStorage) => (await storeOf(storage).openRuns.read(runId)) ?? {};

  it("lists a run that must wait for an upgrade as such, and a run of an older activation never", async () => {
    const storage = await waitingRun(true);
    const record = await recordIn(storage);
    expect(await storeOf(storage, 200).openRuns.relist(record)).toBe(false);
    expect(await storeOf(storage, 300).openRuns.relist({ ...record, waits: [upgrade] })).toBe(true);
    expect(await entryOf(storage)).toMatchObject({ submittedAt: 300, waitsForUpgrade: true });

    const before = await contentsOf(storage);
    const later: RunRecord[] = [record, { ...record, waits: [upgrade] }, { ...record, activation: 0 }];
    for (const each of later) expect(await storeOf(storage, 400).openRuns.relist(each)).toBe(false);
    expect(await contentsOf(storage)).toEqual(before);
    expect(await storeOf(storage, 500).openRuns.relist({ ...record, activation: 2 })).toBe(true);
    expect(await entryOf(storage)).toMatchObject({ submittedAt: 500, activation: 2 });
  });

  it.each(["queued", "waiting"] as const)("lists a run that is %s and has lost its entry", async (status) => {
    const storage = await waitingRun(false);
    await storeOf(storage).change(runId, (stored) => ({ ...stored, status }));
    const record = await recordIn(storage);
    expect(await storeOf(storage, 200).openRuns.relist({ ...record, activation: 2 })).toBe(false);
    expect(await storeOf(storage, 300).openRuns.relist(record)).toBe(true);
    expect(await entryOf(storage)).toMatchObject({ submittedAt: 300, activation: 1 });
  });
});
