import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { faultyStorage } from "../../testing/faulty-storage.ts";
import type { StorageFault } from "../../testing/faulty-storage.ts";
import type { LogEntry } from "./log-entry.ts";
import { LogWriter } from "./log-writer.ts";
import type { RunPaused } from "../run/run-paused.ts";
import { settle } from "./test/attempts.ts";

const done = (step: string): LogEntry => ({ t: "done", step, value: null, ms: 0 });
const chunk = (step: string, type: string): LogEntry => ({ t: "chunks", step, chunks: [{ type }] });

/** A writer over a storage whose calls of some methods have faults, and the calls that it makes. */
function scene(faultOf: (method: string, count: number) => StorageFault | undefined = () => undefined) {
  const inner = new InMemoryStorage();
  const calls: string[] = [];
  const storage = faultyStorage(inner, ({ method }) => {
    calls.push(method);
    return faultOf(method, calls.filter((each) => each === method).length);
  });
  const writer = new LogWriter(storage);
  const failures: RunPaused[] = [];
  const open = (runId: string, next = 1) => {
    const log = writer.open(runId, next);
    log.onFailure = (reason) => void failures.push(reason);
    return log;
  };
  const entriesIn = async (): Promise<unknown[]> => {
    const records = await inner.list("run-log");
    return records.map(({ key, value }) => [key, (value as { entries?: unknown }).entries]);
  };
  return { inner, calls, writer, failures, open, entriesIn };
}

const key = (runId: string, number: number) => `${runId}/${String(number).padStart(12, "0")}`;

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

describe("LogWriter", () => {
  it("gathers what all runs add within 50 milliseconds, and writes a record of each with one call", async () => {
    const { open, entriesIn, calls } = scene();
    const [one, other] = [open("r1"), open("r2", 4)];
    one.add(done("a"));
    await vi.advanceTimersByTimeAsync(49);
    other.add(done("b"));
    one.add(done("c"));
    expect(calls).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await Promise.all([one.stored(), other.stored()]);
    one.add(done("d"));
    await vi.advanceTimersByTimeAsync(50);

    expect(calls).toEqual(["insertAll", "insertAll"]);
    expect(await entriesIn()).toEqual([
      [key("r1", 1), [done("a"), done("c")]],
      [key("r1", 2), [done("d")]],
      [key("r2", 4), [done("b")]],
    ]);
  });

  it("writes at once with an urgent entry, and what comes while it writes after that", async () => {
    const { open, entriesIn } = scene((method, count) =>
      method === "insertAll" && count === 1 ? { delayMs: 5 } : undefined,
    );
    const [one, other] = [open("r1"), open("r2")];
    other.add(done("b"));
    one.add(done("a"), true);
    await settle();
    one.add(done("c"), true);
    one.add(done("d"));
    await vi.advanceTimersByTimeAsync(5);
    await settle();
    expect(await entriesIn()).toEqual([
      [key("r1", 1), [done("a")]],
      [key("r1", 2), [done("c"), done("d")]],
      [key("r2", 1), [done("b")]],
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    ["a short write", 20, 50],
    ["a write as long as the tick", 50, 50],
    ["a longer write", 120, 120],
  ])("counts the tick from the beginning of a write: after %s of %d ms the next begins at %d", async (...row) => {
    const [, delayMs, nextAt] = row;
    const { open, calls } = scene((_method, count) => (count === 1 ? { delayMs } : undefined));
    const log = open("r1");
    log.add(done("a"), true);
    await settle();
    await vi.advanceTimersByTimeAsync(delayMs - 1);
    log.add(chunk("b", "text"));
    await vi.advanceTimersByTimeAsync(1);
    await settle();
    await vi.advanceTimersByTimeAsync(Math.max(nextAt - delayMs - 1, 0));
    expect(calls).toHaveLength(nextAt > delayMs ? 1 : 2);
    await vi.advanceTimersByTimeAsync(1);
    await settle();
    expect(calls).toHaveLength(2);
  });

  it("puts neighbouring chunks of one step together", async () => {
    const { open, entriesIn } = scene();
    const log = open("r1");
    for (const entry of [chunk("a", "1"), chunk("a", "2"), chunk("b", "3"), done("x"), chunk("b", "4")]) log.add(entry);
    log.urge();
    await log.stored();
    const both = { t: "chunks", step: "a", chunks: [{ type: "1" }, { type: "2" }] };
    expect(await entriesIn()).toEqual([[key("r1", 1), [both, chunk("b", "3"), done("x"), chunk("b", "4")]]]);
  });

  it("tells its listeners each record once it is stored, until they leave", async () => {
    const { open, writer, inner } = scene();
    const told: unknown[] = [];
    const leave = writer.onStored((...args) => told.push(args));
    const log = open("r1", 3);
    log.add(done("a"), true);
    await log.stored();
    leave();
    log.add(done("b"), true);
    await log.stored();
    expect(told).toEqual([["r1", 3, { v: 1, entries: [done("a")] }]]);
    expect(await inner.get("run-log", key("r1", 3))).toEqual(told.flat()[2]);
  });

  it("stops the run alone whose place another one has taken", async () => {
    const { open, inner, failures, entriesIn, writer } = scene();
    const told: string[] = [];
    writer.onStored((runId) => told.push(runId));
    await inner.set("run-log", key("r1", 1), { v: 1, entries: [] });
    const [one, other] = [open("r1"), open("r2")];
    one.add(done("a"), true);
    other.add(done("b"), true);
    await expect(one.stored()).rejects.toMatchObject({ reason: "overtaken" });
    await other.stored();
    one.add(done("late"), true);
    await settle();
    expect(failures).toMatchObject([{ reason: "overtaken" }]);
    expect(told).toEqual(["r2"]);
    expect(await entriesIn()).toEqual([
      [key("r1", 1), []],
      [key("r2", 1), [done("b")]],
    ]);
  });

  it.each<[fault: StorageFault, tries: number]>([
    ["fail-after", 1],
    ["fail-before", 1],
  ])("writes a record anew whose first writing ended with %s", async (fault, tries) => {
    const { open, entriesIn, calls, failures } = scene((method) => (method === "insertAll" ? fault : undefined));
    const log = open("r1");
    log.add(done("a"), true);
    await log.stored();
    expect(calls.filter((method) => method === "compareAndSet")).toHaveLength(tries);
    expect(await entriesIn()).toEqual([[key("r1", 1), [done("a")]]]);
    expect(failures).toEqual([]);
  });

  it("gives a run up after four tries over a second, and keeps the reason", async () => {
    const { open, calls, failures } = scene(() => "fail-before");
    const log = open("r1");
    log.add(done("a"), true);
    log.stored().catch(() => undefined);
    await settle();
    const tries = () => calls.filter((method) => method === "compareAndSet").length;
    const counts: number[] = [];
    for (const ms of [49, 1, 199, 1, 799, 1]) {
      await vi.advanceTimersByTimeAsync(ms);
      counts.push(tries());
    }
    expect(counts).toEqual([1, 2, 2, 3, 3, 4]);
    expect(failures).toMatchObject([{ reason: "failed", cause: { code: "storage_unavailable" } }]);
    await expect(log.stored()).rejects.toBe(failures[0]);
  });

  it.each<[what: string, value: object, reason: string | undefined]>([
    ["its own record", { v: 1, entries: [done("a")] }, undefined],
    ["another record", { v: 1, entries: [done("b")] }, "overtaken"],
  ])("finds %s at its place in a storage that inserts one at a time", async (_what, value, reason) => {
    const { open, inner, failures } = scene();
    Object.assign(inner, { insertAll: undefined });
    await inner.set("run-log", key("r1", 1), JSON.parse(JSON.stringify(value)) as Json);
    const log = open("r1");
    log.add(done("a"), true);
    await log.stored().catch(() => undefined);
    expect(failures.map((each) => each.reason)).toEqual(reason === undefined ? [] : [reason]);
  });
});

describe("RunLog", () => {
  it("is full behind 1024 entries that wait", async () => {
    const log = scene().open("r1");
    for (let count = 0; count < 1024; count++) log.add(done("a"));
    expect(log.isFull).toBe(false);
    log.add(done("a"));
    expect(log.isFull).toBe(true);
    log.urge();
    await log.stored();
    expect(log.isFull).toBe(false);
  });

  it("writes what was added before it was closed, and nothing after", async () => {
    const { open, entriesIn } = scene();
    const log = open("r1");
    await log.stored();
    log.urge();
    log.add(done("a"));
    log.close();
    log.add(done("b"), true);
    await vi.advanceTimersByTimeAsync(50);
    await log.stored();
    expect(await entriesIn()).toEqual([[key("r1", 1), [done("a")]]]);
  });
});
