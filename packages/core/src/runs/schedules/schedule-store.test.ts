import { expect, it, onTestFinished, vi } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { ScheduleRecord } from "./schedule-record.ts";
import { ScheduleStore } from "./schedule-store.ts";

const minuteMs = 60_000;

function makeStore() {
  const clock = { ms: 1000 };
  const spy = vi.spyOn(performance, "now").mockImplementation(() => clock.ms);
  onTestFinished(() => spy.mockRestore());
  const storage = new InMemoryStorage();
  return { clock, storage, store: new ScheduleStore({ storage, keepMs: 7 }) };
}

const record = {
  v: 1,
  id: "täglich",
  everyMs: minuteMs,
  owner: { userId: "ada" },
  overlap: "skip",
  missed: "skip",
  maxMissed: 10,
  jitterMs: 0,
  request: { kind: "agent", name: "a" },
  createdAt: 0,
  anchor: 0,
  isPaused: false,
  next: minuteMs,
  wakeAt: minuteMs,
  pending: [],
  history: [],
  mark: "",
  creation: "c",
} as const satisfies ScheduleRecord;

it("ScheduleStore keeps one entry for each schedule in the list of due ones", async () => {
  const { storage, store } = makeStore();
  const first = (await store.write(null, record)) ?? record;
  const second = await store.write(first, { ...first, wakeAt: 2 * minuteMs });

  expect(await store.listDue(minuteMs)).toEqual({ due: [], nextAt: 2 * minuteMs });
  const { due } = await store.listDue(2 * minuteMs);
  expect(due).toMatchObject([{ id: "täglich", wakeAt: 2 * minuteMs, mark: second?.mark }]);
  expect(second?.mark).not.toBe(first.mark);
  await store.write(second ?? first, { ...(second ?? first), wakeAt: null });
  expect(await storage.list("schedule-due")).toEqual([]);
});

it("ScheduleStore leaves no entry of a change that another process was faster to make", async () => {
  const { storage, store } = makeStore();
  const first = (await store.write(null, record)) ?? record;
  await store.write(first, { ...first, wakeAt: 3 * minuteMs });

  expect(await store.write(first, { ...first, wakeAt: 2 * minuteMs })).toBeUndefined();
  expect(await storage.list("schedule-due")).toHaveLength(1);
});

it("ScheduleStore removes an entry without its record after a minute, and not before, because a process may be about to write it", async () => {
  const { clock, storage, store } = makeStore();
  await storage.set("schedule-due", `${"5".padStart(16, "0")}/left/mark`, { v: 1 });
  const { due } = await store.listDue(10);
  const [entry] = due;
  if (entry === undefined) throw new Error("There is no entry.");
  for (const ms of [1000, 1000 + minuteMs - 1]) {
    clock.ms = ms;
    await store.dropDue(entry);
    expect(await storage.list("schedule-due")).toHaveLength(1);
  }
  clock.ms = 1000 + minuteMs;
  await store.dropDue(entry);

  expect(await storage.list("schedule-due")).toEqual([]);
});

it("ScheduleStore begins a change again that took so long that its entry may be gone", async () => {
  const { clock, storage, store } = makeStore();
  const set = storage.set.bind(storage);
  storage.set = async (...args) => {
    await set(...args);
    clock.ms += 20_000;
  };

  expect(await store.write(null, record)).toBeUndefined();
  expect(await storage.list("schedule-due")).toEqual([]);
  expect(await storage.list("schedules")).toEqual([]);
});

it("ScheduleStore writes an entry again that was removed while the change took long", async () => {
  const { clock, storage, store } = makeStore();
  const compareAndSet = storage.compareAndSet.bind(storage);
  storage.compareAndSet = async (...args) => {
    const isDone = await compareAndSet(...args);
    const [entry] = await storage.list("schedule-due");
    await storage.delete("schedule-due", entry?.key ?? "");
    clock.ms += 20_000;
    return isDone;
  };
  await store.write(null, record);

  expect(await storage.list("schedule-due")).toHaveLength(1);
});

it("ScheduleStore counts the schedules of an owner with those that are being created, and without those that were left", async () => {
  const { clock, storage, store } = makeStore();
  const { owner } = record;
  await store.addToOwner(record);
  await store.write(null, record);
  await store.addToOwner({ ...record, id: "left" });
  expect(await store.countOf(owner)).toBe(2);
  expect((await store.listOf(owner)).map(({ id }) => id)).toEqual(["täglich"]);
  clock.ms += minuteMs;

  expect(await store.countOf(owner)).toBe(1);
  expect(await storage.list("schedule-by")).toHaveLength(1);
  expect(await store.countOf({ userId: "bob" })).toBe(0);
});

it("ScheduleStore reports a damaged schedule by its key", async () => {
  const { storage, store } = makeStore();
  await storage.set("schedules", "daily", { v: 1, id: "daily" });

  await expect(store.read("daily")).rejects.toMatchObject({ code: "storage_corrupt" });
  await storage.set("schedules", "daily", { ...record, v: 2 });
  await expect(store.read("daily")).rejects.toMatchObject({ message: expect.stringContaining("newer") });
});
