import { afterEach, describe, expect, it, vi } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { RunRecord, RunStorage } from "./run-record.ts";
import { RunStore } from "./run-store.ts";
import { contentsOf, placesIn, watchedStorage } from "./test/contents.ts";
import { runDrivers } from "./test/run-drivers.ts";
import { newRecord } from "./test/run-records.ts";

const wait = { id: "t.0", kind: "approval", about: null } as const;
const recordOf = (given: Partial<RunRecord> = {}) => newRecord({ runId: "r1", createdAt: 4, ...given });
const place = "999999999999995";
const session = `run-by #session/-/ada/s/${place}/r1`;
const error = { code: "crashed", message: "Gone." } as const;

async function stored(given: Partial<RunRecord> = {}, storage: RunStorage = new InMemoryStorage(), isShared = false) {
  const clock = { now: 100 };
  const store = new RunStore(storage, () => clock.now, isShared);
  const record = recordOf(given);
  await store.insert(record);
  clock.now = 200;
  return { storage, clock, store, record };
}

afterEach(() => void vi.useRealTimers());

describe("RunStore.finish", () => {
  it("stores the end with its time and attempt, without the keys and waits, and lists the run as ended", async () => {
    const given: Partial<RunRecord> = {
      keys: "sealed",
      status: "waiting",
      waits: [wait],
      waitsUntil: 900,
      expiresAt: 950,
    };
    const { store, storage } = await stored(given);
    const running = { attempts: 2, node: "n", startedAt: 150, plan: { tools: { send: "1" } } };
    await store.finish("r1", { status: "error", error, ...running });

    expect(await contentsOf(storage)).toEqual({
      "runs r1": { ...recordOf({ expiresAt: 950 }), ...running, status: "error", error, endedAt: 200 },
      [`run-by #all/${place}.r1`]: { v: 1, session: "-/ada/s" },
      [session]: { v: 1 },
      [`run-by -/ada/error/${place}.r1`]: { v: 1 },
      "run-by #ended/000000000000200/r1": { v: 1 },
      "run-by #expires/000000000000950/r1": { v: 1 },
    });
  });

  it("keeps the first end of a run, and lists it as that", async () => {
    const { store, storage, clock, record } = await stored();
    await store.finish("r1", { status: "completed", output: "first" });
    const before = await contentsOf(storage);
    clock.now = 300;
    await store.finish("r1", { status: "error", error }, record);
    await store.finish("r2", { status: "error", error });
    expect(await contentsOf(storage)).toEqual(before);
  });

  it("takes a run without a user off the list by which it is counted", async () => {
    const { store, storage } = await stored({ owner: {}, anonymous: "#a" }, new InMemoryStorage(), true);
    await store.finish("r1", { status: "cancelled" });
    expect(await placesIn(storage)).toEqual([
      `run-by #all/${place}.r1`,
      "run-by #ended/000000000000200/r1",
      `run-by #session/-/-/s/${place}/r1`,
      "runs r1",
    ]);
  });

  it("puts the run on its new lists first, and takes it last off the list of open ones", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const calls: string[] = [];
    const [, create] = runDrivers[0] ?? ["", () => new InMemoryStorage()];
    const storage = watchedStorage(create(), (call) => calls.push(call));
    const { store } = await stored({ anonymous: "#a" }, storage, true);
    calls.length = 0;
    await store.finish("r1", { status: "completed" });
    expect(calls).toEqual(["get runs r1", "compareAndSet runs r1"]);
    await store.flush();

    expect(calls.slice(2)).toEqual([
      `set run-by -/ada/completed/${place}.r1`,
      "set run-by #ended/000000000000200/r1",
      `set run-by -/ada/open/${place}.r1`,
      "set run-by #anonymous/%23a/r1",
      "set run-open r1",
    ]);
  });

  it("settles a run whose record has no time of its end", async () => {
    const { store, storage } = await stored({ status: "cancelled" });
    await store.settle(recordOf({ status: "cancelled" }));
    expect(await placesIn(storage)).toContain("run-by #ended/000000000000200/r1");
  });
});

describe("OpenRuns.removeWaiting", () => {
  const openAs = { v: 1, activation: 1, priority: 10, owner: "-/ada", sessionId: "s", createdAt: 4 };

  it.each([
    ["takes the run off", undefined, null],
    ["lets the sweep find it then", 0, { ...openAs, submittedAt: 0, isTimed: true }],
  ])("%s: with the time %s", async (_what, submittedAt, left) => {
    const { store, record } = await stored();
    await store.openRuns.removeWaiting(record, await store.openRuns.read("r1"), submittedAt);
    expect(await store.openRuns.read("r1")).toEqual(left);
  });

  it("leaves a run on the list that was woken meanwhile, and off it one that was not there", async () => {
    const { store, record } = await stored();
    const before = await store.openRuns.read("r1");
    await store.openRuns.add(record);
    await store.openRuns.removeWaiting(record, before, undefined);
    expect(await store.openRuns.read("r1")).toEqual({ ...openAs, submittedAt: 200 });

    const absent = recordOf({ runId: "r2" });
    await store.openRuns.removeWaiting(absent, null, 300);
    expect(await store.openRuns.read("r2")).toBeNull();
  });

  it.each([
    [undefined, 200],
    [{ submittedAt: 120 }, 120],
    [{ submittedAt: 900, isTimed: true }, 200],
  ])("keeps the age of an entry %j that it holds, unless its time is yet to come: %s", async (before, submittedAt) => {
    const { store, storage, record } = await stored({ status: "running" });
    if (before === undefined) await storage.delete("run-open", "r1");
    else await storage.set("run-open", "r1", { ...openAs, ...before });
    await store.openRuns.hold(record);
    expect(await store.openRuns.read("r1")).toEqual({ ...openAs, submittedAt, heldAt: 200 });
  });

  it.each([undefined, 300])("leaves an entry that is held for a message, with the time %s", async (submittedAt) => {
    const { store, record } = await stored({ status: "waiting", waits: [wait] });
    await store.openRuns.hold(record);
    await store.openRuns.removeWaiting(record, await store.openRuns.read("r1"), submittedAt);
    expect(await store.openRuns.read("r1")).toEqual({ ...openAs, submittedAt: 100, heldAt: 200 });
  });

  it.each<[boolean, Partial<RunRecord>]>([
    [true, { status: "waiting", waits: [{ ...wait, kind: "upgrade" }, wait] }],
    [false, { status: "waiting", waits: [wait, { ...wait, kind: "upgrade" }] }],
    [false, { status: "queued", waits: [{ ...wait, kind: "upgrade" }] }],
    [false, { status: "waiting" }],
  ])("says that the run waits for an upgrade: %s of %j", async (waitsForUpgrade, given) => {
    const { store, record } = await stored(given);
    await store.openRuns.removeWaiting(record, await store.openRuns.read("r1"), 300);
    expect(await store.openRuns.read("r1")).toEqual({
      ...openAs,
      submittedAt: 300,
      isTimed: true,
      ...(waitsForUpgrade && { waitsForUpgrade }),
    });
  });
});

describe("RunStore.wake", () => {
  it("puts a waiting run back in the queue with its next activation, and on the list of open ones", async () => {
    const { store, record } = await stored({ status: "waiting", waits: [wait], waitsUntil: 900, activation: 3 });
    await store.openRuns.removeWaiting(record, await store.openRuns.read("r1"), undefined);
    const { waits: _waits, waitsUntil: _until, ...rest } = record;
    const woken = { ...rest, status: "queued", activation: 4 };

    expect(await store.wake("r1")).toEqual(woken);
    expect(await store.read("r1")).toEqual(woken);
    expect(await store.openRuns.read("r1")).toMatchObject({ submittedAt: 200, activation: 4 });
  });

  it.each([["queued"], ["running"], ["completed"]] as const)("does nothing for a run that is %s", async (status) => {
    const { store, storage } = await stored({ status });
    const before = await contentsOf(storage);
    expect(await store.wake("r1")).toBeNull();
    expect(await store.wake("r2")).toBeNull();
    expect(await contentsOf(storage)).toEqual(before);
  });

  it("changes the record before the open entry, and wakes the run once when two processes do so", async () => {
    const calls: string[] = [];
    const { storage } = await stored({ status: "waiting", waits: [wait] });
    const store = new RunStore(
      watchedStorage(storage, (call) => calls.push(call)),
      () => 300,
    );
    expect(await store.wake("r1")).not.toBeNull();
    expect(calls).toEqual(["get runs r1", "compareAndSet runs r1", "get run-open r1", "compareAndSet run-open r1"]);

    const { storage: shared } = await stored({ status: "waiting", waits: [wait] });
    const woken = await Promise.all([1, 2].map((now) => new RunStore(shared, () => now).wake("r1")));
    expect(woken.filter((record) => record !== null)).toMatchObject([{ activation: 2 }]);
  });
});

describe("RunStore.renew", () => {
  it.each([
    [9_999, 200],
    [10_000, undefined],
  ])("lets go of an entry that was held for a message %s ms before: held at %s", async (laterMs, heldAt) => {
    const { store, storage, record } = await stored({ status: "waiting", waits: [wait] });
    await store.openRuns.hold(record);
    const later = new RunStore(storage, () => 200 + laterMs);
    const [found] = (await Array.fromAsync(later.openRuns.list(() => expect.unreachable()))).flat();

    expect(found !== undefined && (await later.openRuns.renew(found))).toBe(true);
    expect(await store.openRuns.read("r1")).toMatchObject({ submittedAt: 200 + laterMs });
    expect(((await store.openRuns.read("r1")) as { heldAt?: number }).heldAt).toBe(heldAt);
  });

  it("changes the time of the submission alone", async () => {
    const { store, storage } = await stored({ anonymous: "#a", notBefore: 5 });
    const before = await contentsOf(storage);
    const pages = await Array.fromAsync(store.openRuns.list(() => expect.unreachable()));
    const [found] = pages.flat();

    expect(found).toEqual({ ...Object(before["run-open r1"]), runId: "r1", stored: before["run-open r1"] });
    expect(found !== undefined && (await store.openRuns.renew(found))).toBe(true);
    expect(await contentsOf(storage)).toEqual({
      ...before,
      "run-open r1": { ...Object(before["run-open r1"]), submittedAt: 200 },
    });
  });
});
