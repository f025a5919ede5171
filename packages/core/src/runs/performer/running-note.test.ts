import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import type { RunRecord } from "../record/run-record.ts";
import { RunStore } from "../record/run-store.ts";
import { newRecord } from "../record/test/run-records.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { RunningNote } from "./running-note.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
});

const record = { runId: "r", status: "queued", attempts: 0 } as RunRecord;
const fields = { attempts: 1, node: "n", startedAt: 1, plan: { tools: {} } };

function startNote() {
  const written = { ...record, ...fields, status: "running" as const };
  const change = vi.fn<RunStore["noteRunning"]>(async () => written);
  const running: RunStore["running"] = new Map();
  return {
    note: new RunningNote({ noteRunning: change, running } as unknown as RunStore, record, fields),
    change,
    running,
    written,
  };
}

it("RunningNote is known to readers of this process at once, and in the record after 100 ms", async () => {
  const { note, change, running, written } = startNote();
  expect(running.get("r")).toBe(fields);
  await vi.advanceTimersByTimeAsync(99);
  expect(change).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);

  expect(change).toHaveBeenCalledOnce();
  expect(await note.known()).toBe(written);
  note.close();
  expect(running.size).toBe(0);
});

it.each(["known", "close"] as const)("RunningNote is not written any more after %s", async (method) => {
  const { note, change } = startNote();
  await note[method]();
  await vi.advanceTimersByTimeAsync(1000);

  expect(change).not.toHaveBeenCalled();
});

/** A note over a store with a run of this record. */
async function storedNote(given: Partial<RunRecord>) {
  const store = new RunStore(new InMemoryStorage(), () => 50);
  const stored = newRecord({ runId: "r", createdAt: 1, ...given });
  await store.insert(stored);
  const attempted = { ...fields, attempts: 2, startedAt: 7, plan: { tools: { send: "1" } } };
  return { store, stored, attempted, note: new RunningNote(store, stored, attempted) };
}
const waits = [{ id: "t.0", kind: "input", about: 1 }] as const;

it.each<[what: string, given: Partial<RunRecord>]>([
  ["a queued run", {}],
  ["a run of an earlier attempt", { status: "running", attempts: 1, node: "other", startedAt: 3 }],
  ["a run that waited", { status: "waiting", attempts: 1, waits: [...waits] }],
])("the record of %s says that it is performed, and waits no more", async (_what, given) => {
  const { store, stored, attempted, note } = await storedNote(given);
  const written = await note.write();
  const { waits: _waits, ...others } = stored;
  expect(written).toEqual({ ...others, ...attempted, status: "running" });
  expect(await store.read("r")).toEqual(written);
  expect(await note.known()).toEqual(written);
  note.close();
});

it.each<[what: string, given: Partial<RunRecord>]>([
  ["completed", { status: "completed", attempts: 1 }],
  ["an error", { status: "error", attempts: 1 }],
  ["cancelled", { status: "cancelled", attempts: 0 }],
  ["of a later attempt", { status: "running", attempts: 3 }],
  ["of this attempt already", { status: "waiting", attempts: 2, waits: [...waits] }],
])("a record that is %s stays as it is", async (_what, given) => {
  const { store, stored, note } = await storedNote(given);
  expect(await note.write()).toBeNull();
  expect(await store.read("r")).toEqual(stored);
  expect(await note.known()).toEqual(stored);
  note.close();
});

it("RunningNote is written once, at the first call or timer, which clears the timer", async () => {
  const { note, change, written } = startNote();
  expect(await Promise.all([note.write(), note.write()])).toEqual([written, written]);
  expect(vi.getTimerCount()).toBe(0);
  await vi.advanceTimersByTimeAsync(200);
  expect(change).toHaveBeenCalledOnce();
  expect(note.fields).toBe(fields);
});

it("RunningNote is known as the record was where it was not written, and fails without a word where the timer writes it", async () => {
  const { note, change } = startNote();
  expect(await note.known()).toBe(record);
  const failing = startNote();
  failing.change.mockRejectedValue(new Error("down"));
  await vi.advanceTimersByTimeAsync(100);
  await expect(failing.note.known()).rejects.toThrow("down");
  expect(change).not.toHaveBeenCalled();
});

it("RunningNote does not keep the program running", () => {
  const timers: NodeJS.Timeout[] = [];
  const { setTimeout } = globalThis;
  vi.stubGlobal("setTimeout", (act: () => void, ms?: number) => {
    const timer = setTimeout(act, ms);
    timers.push(timer);
    return timer;
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  startNote();
  expect(timers.map((timer) => timer.hasRef())).toEqual([false]);
});
