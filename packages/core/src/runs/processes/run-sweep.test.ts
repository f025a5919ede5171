import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { putCancel } from "../record/answers.ts";
import { Admission } from "./admission.ts";
import type { Performing } from "./service-parts.ts";
import type { RunStorage } from "../record/run-record.ts";
import type { FoundOpenRun } from "../record/open-runs.ts";
import { RunStore } from "../record/run-store.ts";
import { DueRuns } from "./due-runs.ts";
import { RunSweep, sweepMs } from "./run-sweep.ts";
import { RemoteStorage } from "../../sessions/storage/test/remote-storage.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const runId = "5b1e9f3c-0000-4000-8000-000000000004";

it("the sweep of one of two processes submits a run again that an engine forgot, after 30 seconds [durable.sweep]", async () => {
  const storage = new InMemoryStorage();
  const open = { v: 1, submittedAt: Date.now(), activation: 1, priority: 10, owner: "-/-" };
  await storage.set("run-open", runId, open);
  const submitted: FoundOpenRun[] = [];
  const sweeps = [1, 2].map(() => {
    return new RunSweep({
      store: new RunStore(storage, Date.now),
      admission: new Admission({ maxQueued: 10, perCaller: 10, maxAnonymousBytes: 1024 }),
      performing: new Map(),
      due: new DueRuns(Date.now),
      now: Date.now,
      submit: async (run) => void submitted.push(run),
      cleanUp: async () => {},
      cancel: () => {},
      onError: (error) => expect.unreachable(String(error)),
    });
  });
  for (const sweep of sweeps) sweep.start();
  await vi.advanceTimersByTimeAsync(sweepMs - 1000);
  expect(submitted).toEqual([]);

  await vi.advanceTimersByTimeAsync(sweepMs / 2);
  for (const sweep of sweeps) sweep.stop();
  expect(submitted).toMatchObject([{ runId, activation: 1 }]);
  expect(await storage.get("run-open", runId)).not.toEqual(open);
  expect(vi.getTimerCount()).toBe(0);
});

it("the looks for cancels from other processes make one request for all runs of this one, and hear each", async () => {
  const storage = new RemoteStorage();
  const runIds = Array.from({ length: 300 }, (_, index) => `run-${index}`);
  const cancelled = new Map<string, string | undefined>();
  const errors: unknown[] = [];
  const sweep = new RunSweep({
    store: new RunStore(storage.driver as RunStorage, Date.now),
    admission: new Admission({ maxQueued: 10, perCaller: 10, maxAnonymousBytes: 1024 }),
    performing: new Map(runIds.map((id) => [id, {} as Performing])),
    due: new DueRuns(Date.now),
    now: Date.now,
    submit: async () => {},
    cleanUp: async () => {},
    cancel: (id, reason) => void cancelled.set(id, reason),
    onError: (error) => void errors.push(error),
  });
  sweep.start();
  await putCancel(storage.inner, "run-7", "Enough.");
  await putCancel(storage.inner, "run-70", undefined);
  await storage.inner.set("run-inbox", "run-8/cancelled", { v: 1 });
  await vi.advanceTimersByTimeAsync(1000);
  expect([...cancelled]).toEqual([
    ["run-7", "Enough."],
    ["run-70", undefined],
  ]);
  expect(storage.requests).toEqual([300]);

  const down = new TroupeError("storage_unavailable", "The database restarts.");
  storage.onRequest = () => Promise.reject(down);
  await vi.advanceTimersByTimeAsync(1000);
  sweep.stop();
  expect(errors).toEqual([down]);
});
