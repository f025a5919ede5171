import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Performing } from "../processes/service-parts.ts";
import { logKey, logRecord } from "../../agents/journal/log-entry.ts";
import type { LogEntry } from "../../agents/journal/log-entry.ts";
import type { RunRecord } from "../record/run-record.ts";
import { contentsOf } from "../record/test/contents.ts";
import { newRecord } from "../record/test/run-records.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { removeRun } from "./run-removal.ts";
import { acceptance } from "./test/acceptance.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

/** Begins to remove a run that is under way; `cancel` is what its cancel does. */
async function begin(given: Partial<RunRecord> = {}, cancel: () => Promise<void> = async () => undefined) {
  const { parts, storage } = acceptance();
  const record = newRecord({ runId: "r1", createdAt: 4, status: "running", attempts: 1, ...given });
  await parts.store.insert(record);
  const performing = new Map<string, Performing>();
  const outcome: { value?: unknown } = {};
  const remove = () =>
    void removeRun({ parts, performing, cancel }, record).then(
      () => (outcome.value = "removed"),
      (error: unknown) => (outcome.value = error),
    );
  const advance = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms);
    await new Promise(setImmediate);
  };
  const log = async (...entries: LogEntry[]) =>
    await storage.set("run-log", logKey("r1", 1), logRecord(entries) as unknown as Json);
  return { parts, storage, record, performing, outcome, remove, advance, log };
}

const conflict = {
  code: "conflict",
  message: "The run is being cancelled by another process. Remove it again in a moment.",
};

describe("the removal of a run under way", () => {
  it("waits for its cancel before it looks, and rejects as that does", async () => {
    const cancelled = Promise.withResolvers<void>();
    const { parts, outcome, remove, advance } = await begin({}, () => cancelled.promise);
    const read = vi.spyOn(parts.store, "read");
    remove();
    await advance(20_000);
    expect(read).not.toHaveBeenCalled();
    cancelled.reject(new Error("No cancel."));
    await advance(0);
    expect(outcome.value).toMatchObject({ message: "No cancel." });
  });

  it("waits ten seconds at most for the attempt of this process to end, and then for its end", async () => {
    const { parts, storage, performing, outcome, remove, advance } = await begin();
    performing.set("r1", { cancel: () => undefined, done: new Promise(() => undefined) });
    const read = vi.spyOn(parts.store, "read");
    remove();
    await advance(9999);
    expect(read).not.toHaveBeenCalled();
    await parts.store.finish("r1", { status: "cancelled" });
    await advance(1);
    expect(read).toHaveBeenCalled();
    expect(outcome.value).toBe("removed");
    expect(await contentsOf(storage)).toEqual({});
  });

  it("leaves no timer when that ends in time", async () => {
    const { parts, performing, outcome, remove, advance } = await begin();
    const work = Promise.withResolvers<void>();
    performing.set("r1", { cancel: () => undefined, done: work.promise });
    remove();
    await advance(0);
    await parts.store.finish("r1", { status: "cancelled" });
    work.resolve();
    await advance(0);
    expect(outcome.value).toBe("removed");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("looks every 100 milliseconds for the end by another process, for ten seconds", async () => {
    const { parts, outcome, remove, advance } = await begin();
    const read = vi.spyOn(parts.store, "read");
    remove();
    await advance(0);
    expect(read).toHaveBeenCalledTimes(1);
    for (let look = 1; look < 100; look++) {
      await advance(99);
      expect(read).toHaveBeenCalledTimes(look);
      await advance(1);
      expect(read).toHaveBeenCalledTimes(look + 1);
    }
    expect(outcome.value).toBeUndefined();
    await advance(100);
    expect(read).toHaveBeenCalledTimes(101);
    expect(outcome.value).toMatchObject(conflict);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("removes it once its log has the end, whose record is brought to that first, without keys", async () => {
    const { parts, storage, outcome, remove, advance, log } = await begin({ keys: "sealed" });
    const atRemoval: unknown[] = [];
    const removal = parts.store.lists.remove.bind(parts.store.lists);
    vi.spyOn(parts.store.lists, "remove").mockImplementation(async (record) => {
      atRemoval.push(await storage.get("runs", "r1"));
      await removal(record);
    });
    remove();
    await advance(0);
    expect(outcome.value).toBeUndefined();
    await log({ t: "end", output: { text: "Over." } });
    await advance(100);

    expect(outcome.value).toBe("removed");
    expect(atRemoval).toEqual([
      expect.objectContaining({ status: "completed", output: { text: "Over." }, endedAt: 1000, attempts: 1 }),
    ]);
    expect(atRemoval[0]).not.toHaveProperty("keys");
    expect(await contentsOf(storage)).toEqual({});
  });

  it("leaves an end that the record has got meanwhile as it is", async () => {
    const { parts, outcome, remove, advance, log } = await begin();
    await log({ t: "end", output: null });
    const change = parts.store.change.bind(parts.store);
    const results: unknown[] = [];
    vi.spyOn(parts.store, "change").mockImplementation(async (runId, by) => {
      const ended = newRecord({ runId, createdAt: 4, status: "error", endedAt: 5 });
      results.push(by(ended), by(newRecord({ runId, createdAt: 4, status: "running" })));
      return await change(runId, by);
    });
    remove();
    await advance(0);
    expect(outcome.value).toBe("removed");
    expect(results).toMatchObject([null, { status: "completed" }]);
  });
});
