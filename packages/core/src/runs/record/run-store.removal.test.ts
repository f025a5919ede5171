import { describe, expect, it, onTestFinished, vi } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { RunRecord } from "./run-record.ts";
import { RunStore } from "./run-store.ts";
import { subscriptionPrefix } from "./run-notice.ts";
import { contentsOf, placesIn } from "./test/contents.ts";
import { runDrivers } from "./test/run-drivers.ts";
import { newRecord } from "./test/run-records.ts";

function scene() {
  const storage = new InMemoryStorage();
  const clock = { now: 100 };
  return { storage, clock, store: new RunStore(storage, () => clock.now, true) };
}

const recordOf = (runId: string, given: Partial<RunRecord> = {}) => newRecord({ runId, createdAt: 4, ...given });

/** Stores a run with all that may belong to one. */
async function insertWhole(
  { storage, store }: ReturnType<typeof scene>,
  runId: string,
  given: Partial<RunRecord> = {},
) {
  await store.insert(recordOf(runId, { input: "x".repeat(33_000), expiresAt: 900, anonymous: "#a", ...given }));
  for (const key of [`${runId}/000000000001`, `${runId}/000000000002`]) await storage.set("run-log", key, { v: 1 });
  for (const key of [`${runId}/cancel`, `${runId}/t.0`]) await storage.set("run-inbox", key, { v: 1 });
  for (const id of ["a", "b"]) await storage.set("webhooks", `${subscriptionPrefix(runId)}${id}`, { v: 1 });
}

describe("RunStore.remove", () => {
  it.each<[string, boolean, (store: RunStore) => Promise<void>]>([
    ["open", true, async () => {}],
    ["ended", true, async (store) => await store.finish("r1", { status: "completed" })],
    [
      "ended and without its log",
      true,
      async (store) => {
        await store.finish("r1", { status: "error" });
        await store.lists.removeOld(Infinity, -1);
      },
    ],
    ["open and without subscriptions", false, async () => {}],
  ])("removes all that belongs to a run that is %s, and nothing of another", async (_what, isSubscribed, before) => {
    const made = scene();
    await insertWhole(made, "r10");
    const others = await placesIn(made.storage);
    await insertWhole(made, "r1", isSubscribed ? { isSubscribed } : {});
    await before(made.store);
    const record = await made.store.read("r1");
    await made.store.lists.remove(record ?? recordOf("r1"));

    const left = isSubscribed ? [] : ["webhooks #run/r1/a", "webhooks #run/r1/b"];
    expect(await placesIn(made.storage)).toEqual([...others, ...left].toSorted());
  });
});

describe.each(runDrivers)("a run that is removed over %s", (_offer, create) => {
  it("a removed run gets no entries from writes of its end that were still to be made", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const storage = create();
    const store = new RunStore(storage, () => 100, true);
    await store.insert(recordOf("r1"));
    await store.finish("r1", { status: "completed" });
    await store.lists.remove((await store.read("r1")) ?? recordOf("gone"));
    await vi.runAllTimersAsync();
    expect(await placesIn(storage)).toEqual([]);
  });

  it("a run is removed by its age even if the writes of its end were still to be made", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const storage = create();
    const store = new RunStore(storage, () => 100, true);
    await store.insert(recordOf("r1"));
    await store.finish("r1", { status: "completed" });
    await store.lists.removeOld(100, 100);
    await vi.runAllTimersAsync();
    expect(await placesIn(storage)).toEqual([]);
  });
});

describe("RunStore.removeOld", () => {
  /** Three runs that ended at 100, 101 and 102, each with a log. */
  async function ended() {
    const made = scene();
    for (const [index, runId] of ["r1", "r2", "r3"].entries()) {
      made.clock.now = 100 + index;
      await made.store.insert(recordOf(runId));
      await made.storage.set("run-log", `${runId}/000000000001`, { v: 1 });
      await made.store.finish(runId, { status: "completed" });
    }
    return made;
  }

  it("removes the logs of runs that ended up to a time, and keeps their records", async () => {
    const { store, storage } = await ended();
    await store.lists.removeOld(101, 99);

    const places = await placesIn(storage);
    expect(places.filter((place) => /^run-by #(ended|bare)|^run-log|^runs/.test(place))).toEqual([
      "run-by #bare/000000000000100/r1",
      "run-by #bare/000000000000101/r2",
      "run-by #ended/000000000000102/r3",
      "run-log r3/000000000001",
      "runs r1",
      "runs r2",
      "runs r3",
    ]);
    expect(await storage.get("run-by", "#bare/000000000000101/r2")).toEqual({ v: 1 });
  });

  it("removes the records, too, of runs that ended up to another time", async () => {
    const { store, storage } = await ended();
    await store.lists.removeOld(102, 101);
    expect(await placesIn(storage)).toEqual([
      "run-by #all/999999999999995.r3",
      "run-by #bare/000000000000102/r3",
      "run-by #session/-/ada/s/999999999999995/r3",
      "run-by -/ada/completed/999999999999995.r3",
      "runs r3",
    ]);
  });

  it("removes entries whose records are gone, and those behind the first page", async () => {
    const { store, storage } = scene();
    const keys = Array.from({ length: 205 }, (_, index) => `#bare/000000000000100/r${index}`);
    for (const key of keys) await storage.set("run-by", key, { v: 1 });
    await store.lists.removeOld(-1, 100);
    expect(await placesIn(storage)).toEqual([]);
  });
});

describe("a run with a time of removal", () => {
  it("is expired from that time on, and then listed", async () => {
    const { store, clock, storage } = scene();
    const records = [
      recordOf("r1", { expiresAt: 199 }),
      recordOf("r2", { expiresAt: 200 }),
      recordOf("r3", { expiresAt: 201 }),
    ];
    for (const record of [...records, recordOf("r4")]) await store.insert(record);
    await storage.set("run-by", "#expires/000000000000150/r4", { v: 1 });
    await storage.set("run-by", "#expires/000000000000150/gone", { v: 1 });
    clock.now = 200;

    expect([...records, recordOf("r4")].map((record) => store.isExpired(record))).toEqual([true, true, false, false]);
    expect((await Array.fromAsync(store.lists.listExpired())).flat()).toEqual(records.slice(0, 2));
    expect((await placesIn(storage)).filter((place) => place.includes("#expires"))).toEqual([
      "run-by #expires/000000000000199/r1",
      "run-by #expires/000000000000200/r2",
      "run-by #expires/000000000000201/r3",
    ]);
  });
});

describe("RunStore.dropEntry", () => {
  const place = "999999999999995";
  it.each<[what: string, key: string, isDropped: boolean]>([
    ["of an open run", `-/ada/open/${place}.open`, false],
    ["of a run in its session", `#session/-/ada/s/${place}/open`, false],
    ["of a run among all", `#all/${place}.open`, false],
    ["of an ended run among all", `#all/${place}.ended`, false],
    ["of another time among all", "#all/999999999999994.open", true],
    ["of a caller's open run", "#anonymous/%23a/open", false],
    ["of another owner", `-/bob/open/${place}.open`, true],
    ["of another time", "-/ada/open/999999999999994.open", true],
    ["of an end that the run has not", `-/ada/error/${place}.ended`, true],
    ["of the end of a run", `-/ada/completed/${place}.ended`, false],
    ["of a run that may be about to get its record", `-/ada/open/${place}.coming`, false],
    ["of the end of a run without a record", `-/ada/completed/${place}.coming`, true],
    ["of a run that is gone", `-/ada/open/${place}.gone`, true],
  ])("judges an entry %s", async (_what, key, isDropped) => {
    const { store, storage } = scene();
    await store.insert(recordOf("open", { anonymous: "#a" }));
    await store.insert(recordOf("ended"));
    await store.finish("ended", { status: "completed" });
    await store.openRuns.add(recordOf("coming"));
    await storage.set("run-by", key, { v: 1 });

    expect(await store.lists.dropEntry(key)).toBe(isDropped);
    expect(await storage.get("run-by", key)).toEqual(isDropped ? null : { v: 1 });
  });
});

describe("RunStore.listAll", () => {
  it("lists the records behind the first page, too", async () => {
    const { store } = scene();
    const runIds = Array.from({ length: 101 }, (_, index) => `r${1000 + index}`);
    for (const runId of runIds) await store.insert(recordOf(runId));
    expect((await Array.fromAsync(store.lists.listAll())).map(({ runId }) => runId)).toEqual(runIds);
  });

  it("refuses a damaged record by its place alone", async () => {
    const { store, storage } = scene();
    await storage.set("runs", "a%2Fb", { v: 1, input: "secret" });
    const fields = { namespace: "runs", key: "a/b" };
    await expect(Array.fromAsync(store.lists.listAll())).rejects.toMatchObject({ code: "storage_corrupt", fields });
    expect(Object.keys(await contentsOf(storage))).toEqual(["runs a%2Fb"]);
  });
});
