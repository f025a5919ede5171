import { describe, expect, it, vi } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { RunRecord, RunStorage } from "./run-record.ts";
import { RunStore } from "./run-store.ts";
import { placesIn, watchedStorage } from "./test/contents.ts";
import { newRecord } from "./test/run-records.ts";

function scene(storage: RunStorage = new InMemoryStorage()) {
  const clock = { now: 1000 };
  const now = () => clock.now;
  const removed: string[] = [];
  const removeLog = async (runId: string) => void removed.push(runId);
  const store = new RunStore(storage, now, true);
  vi.spyOn(store.lists, "removeLog").mockImplementation(removeLog);
  const orphans = { close: async (runId: string) => await store.lists.closeOrphan(runId) };
  return { storage, clock, store, removed, orphans };
}

const recordOf = (given: Partial<RunRecord> = {}) => newRecord({ runId: "r1", createdAt: 4, ...given });

/** Stores what a process leaves that died before it stored the record of a run. */
async function insertOrphan(
  { storage, store }: ReturnType<typeof scene>,
  given: Partial<RunRecord> = {},
): Promise<void> {
  await store.insert(recordOf({ input: "x".repeat(33_000), ...given }));
  await storage.delete("runs", "r1");
}

describe("RunLists.closeOrphan", () => {
  it.each<[name: string, given: Partial<RunRecord>]>([
    ["of a user", {}],
    ["of a tenant's user", { owner: { tenantId: "t", userId: "a/b" }, sessionId: "s/1" }],
    ["without a user", { owner: {}, anonymous: "#a", inputBytes: 33_000 }],
    ["of the program", { owner: {} }],
    ["of a claimed user", { owner: { userId: "ada", verified: false }, anonymous: "#" }],
  ])("removes all of a run %s whose record is missing for a minute", async (_name, given) => {
    const made = scene();
    await made.store.insert(newRecord({ runId: "r10", createdAt: 4, anonymous: "#a" }));
    const others = await placesIn(made.storage);
    await insertOrphan(made, given);
    const before = await placesIn(made.storage);

    for (const now of [1000, 60_999]) {
      made.clock.now = now;
      expect(await made.orphans.close("r1")).toBe(true);
      expect(await placesIn(made.storage)).toEqual(before);
    }
    made.clock.now = 61_000;
    expect(await made.orphans.close("r1")).toBe(true);
    expect(await placesIn(made.storage)).toEqual(others);
    expect(made.removed).toEqual(["r1"]);
    expect(await made.orphans.close("r1")).toBe(false);
  });

  it("removes the places of another process that began to accept the run for the same user", async () => {
    const made = scene();
    await insertOrphan(made);
    const places = ["#session/-/ada/s2/999999999999991/r1", "-/ada/open/999999999999991.r1"];
    for (const place of places) await made.storage.set("run-by", place, { v: 1, createdAt: 8, sessionId: "s2" });
    await made.orphans.close("r1");
    made.clock.now += 60_000;
    await made.orphans.close("r1");
    expect(await placesIn(made.storage)).toEqual([]);
  });

  it("waits a whole minute again where the entry was gone meanwhile, and after each removal", async () => {
    const made = scene();
    const { clock, storage, orphans } = made;
    await insertOrphan(made);
    await orphans.close("r1");
    await storage.delete("run-open", "r1");
    expect(await orphans.close("r1")).toBe(false);
    clock.now += 60_000;
    for (let round = 0; round < 2; round++) {
      await insertOrphan(made);
      await orphans.close("r1");
      expect(await storage.get("run-open", "r1")).not.toBeNull();
      clock.now += 60_000;
      await orphans.close("r1");
      expect(await storage.get("run-open", "r1")).toBeNull();
    }
  });

  it("counts the minute of each run apart", async () => {
    const made = scene();
    await insertOrphan(made);
    await made.orphans.close("r1");
    await made.store.openRuns.add(recordOf({ runId: "r2" }));
    made.clock.now += 60_000;
    expect(await made.orphans.close("r2")).toBe(true);
    expect(await made.storage.get("run-open", "r2")).not.toBeNull();
  });

  it("leaves what it finds where the entry has changed before it is claimed", async () => {
    const inner = new InMemoryStorage();
    let onList = async (): Promise<void> => {};
    const storage = new Proxy(inner, {
      get: (target, name) => {
        if (name !== "list") return Reflect.get(target, name, target).bind(target) as unknown;
        return async (...args: Parameters<InMemoryStorage["list"]>) => {
          await onList();
          return await target.list(...args);
        };
      },
    });
    const made = scene(storage);
    await insertOrphan(made);
    const before = await placesIn(inner);
    await made.orphans.close("r1");
    made.clock.now += 60_000;
    onList = async () => await new RunStore(inner, () => 5).openRuns.add(recordOf());
    expect(await made.orphans.close("r1")).toBe(true);
    expect(await placesIn(inner)).toEqual(before);
    expect(made.removed).toEqual([]);
  });

  it("claims the entry first and removes it last, and puts it back for a run that was accepted meanwhile", async () => {
    const calls: string[] = [];
    const inner = new InMemoryStorage();
    const made = scene(watchedStorage(inner, (call) => calls.push(call)));
    await insertOrphan(made, { anonymous: "#a" });
    await made.orphans.close("r1");
    made.clock.now += 60_000;
    calls.length = 0;
    await inner.set("runs", "r1", { v: 1 });
    await made.orphans.close("r1");

    const writes = calls.filter((call) => !/^(get|list)/.test(call)).map((call) => call.replace(/ r1\/.*/, " piece"));
    expect(writes).toEqual([
      "compareAndSet run-open r1",
      "delete run-input piece",
      "delete run-by #session/-/ada/s/999999999999995/r1",
      "delete run-by #all/999999999999995.r1",
      "delete run-by #anonymous/%23a/r1",
      "delete run-by #session/-/ada/s/999999999999995/r1",
      "delete run-by #all/999999999999995.r1",
      "delete run-by -/ada/open/999999999999995.r1",
      "compareAndSet run-open r1",
      "compareAndSet run-open r1",
    ]);
    expect(await inner.get("run-open", "r1")).toMatchObject({ v: 1, submittedAt: 61_000, owner: "-/ada" });
  });
});
