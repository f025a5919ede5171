import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import { Admission } from "./admission.ts";
import type { FoundOpenRun } from "./run-store.ts";
import { RunStore } from "./run-store.ts";
import { RunSweep, sweepMs } from "./run-sweep.ts";

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
      admission: new Admission({ maxQueued: 10, perCaller: 10 }),
      performing: new Map(),
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
