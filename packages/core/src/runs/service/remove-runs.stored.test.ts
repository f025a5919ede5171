import { afterEach, describe, expect, it, vi } from "vitest";
import type { Performing } from "../processes/service-parts.ts";
import { logKey } from "../../agents/journal/log-entry.ts";
import type { RunRecord } from "../record/run-record.ts";
import { contentsOf } from "../record/test/contents.ts";
import { newRecord } from "../record/test/run-records.ts";
import { prefixesOf, removeRun, removeRuns } from "./run-removal.ts";
import { acceptance } from "./test/acceptance.ts";

async function scene(given: Partial<RunRecord> = {}) {
  const { parts, storage } = acceptance();
  const record = newRecord({ runId: "r1", createdAt: 4, ...given });
  await parts.store.insert(record);
  const performing = new Map<string, Performing>();
  const cancelled: string[] = [];
  const remove = async (onCancel: () => Promise<unknown> = async () => undefined) => {
    const cancel = async (runId: string) => (cancelled.push(runId), await onCancel());
    await removeRun({ parts, performing, cancel }, record);
  };
  return { parts, storage, record, performing, cancelled, remove };
}

afterEach(() => void vi.useRealTimers());

describe("removeRun", () => {
  it("removes a run that is over with all that this process holds of it, and tells its readers", async () => {
    const { parts, storage, cancelled, remove } = await scene({ status: "completed" });
    parts.vault.seal("r1", { apiKey: "k" });
    parts.locals.set("r1", {});
    const fail = vi.spyOn(parts.tails, "fail");
    const forget = vi.spyOn(parts.admission ?? { remove: () => undefined }, "remove");
    await remove();

    expect(await contentsOf(storage)).toEqual({});
    expect([cancelled, parts.vault.open("r1", ""), parts.locals.size]).toEqual([[], null, 0]);
    expect(fail).toHaveBeenCalledWith("r1", expect.objectContaining({ code: "gone", message: "The run was removed." }));
    expect(forget).toHaveBeenCalledWith("r1");
  });

  it("cancels an open run first, and waits until this process has ended it", async () => {
    const { parts, storage, cancelled, performing, remove } = await scene();
    const work = Promise.withResolvers<void>();
    performing.set("r1", { cancel: () => undefined, done: work.promise });
    const removal = remove();
    await new Promise((resolve) => setImmediate(resolve));
    expect(cancelled).toEqual(["r1"]);
    expect(await storage.get("runs", "r1")).not.toBeNull();
    await parts.store.finish("r1", { status: "cancelled" });
    work.resolve();
    await removal;
    expect(await contentsOf(storage)).toEqual({});
  });

  it("leaves what another process has removed meanwhile", async () => {
    const { parts, storage, record, remove } = await scene();
    const fail = vi.spyOn(parts.tails, "fail");
    await remove(async () => {
      await parts.store.lists.remove(record);
      await storage.set("run-log", logKey("r1", 1), { v: 1, entries: [] });
    });
    expect(Object.keys(await contentsOf(storage))).toHaveLength(1);
    expect(fail).not.toHaveBeenCalled();
  });

  it("waits ten seconds for another process, and keeps the run that this does not end", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { storage, remove } = await scene({ status: "running" });
    const before = await contentsOf(storage);
    const outcome = remove().catch((error: unknown) => error);
    const state = { isDone: false };
    void outcome.then(() => (state.isDone = true));
    await vi.advanceTimersByTimeAsync(9900);
    expect(state.isDone).toBe(false);
    await vi.advanceTimersByTimeAsync(200);
    expect(await outcome).toMatchObject({ code: "conflict", message: expect.stringContaining("Remove it again") });
    expect(await contentsOf(storage)).toEqual(before);
  });
});

describe("removeRuns", () => {
  it("tries all runs of all lists, each once, and rejects with the first failure", async () => {
    const { parts } = await scene({ runId: "r1" });
    const { store } = parts;
    for (const runId of ["r2", "r3"]) await store.insert(newRecord({ runId, createdAt: 4 }));
    await store.insert(newRecord({ runId: "bobs", createdAt: 4, owner: { userId: "bob" } }));
    await store.finish("r3", { status: "error" });
    const tried: string[] = [];
    const removal = removeRuns(store, prefixesOf({ userId: "ada" }), async (record) => {
      tried.push(record.runId);
      if (record.runId === "r3") return await store.lists.remove(record);
      throw new Error(`${record.runId} failed`);
    });
    await expect(removal).rejects.toThrow("r1 failed");
    expect(new Set(tried)).toEqual(new Set(["r1", "r2", "r3"]));
    expect(await store.read("r3")).toBeNull();
    expect(await store.read("bobs")).not.toBeNull();
  });

  it("reads the lists of an owner in the order in which runs move: open, ended, by session", () => {
    const owner = { tenantId: "t", userId: "ada", verified: false };
    const lists = ["open", "completed", "error", "cancelled"].map((group) => `t/~ada/${group}/`);
    expect(prefixesOf(owner)).toEqual([...lists, "#session/t/~ada/"]);
  });
});
