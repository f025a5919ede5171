import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createLogger } from "../../base/log/logger.ts";
import { ScheduleRunner } from "./schedule-runner.ts";
import type { ScheduleStore } from "./schedule-store.ts";

/** Makes a runner over a storage with `watch` that has no schedules, and counts its reads. */
function makeRunner() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const hints = new Set<() => void>();
  const watch = (_namespace: string, onChange: () => void) => {
    hints.add(onChange);
    return () => void hints.delete(onChange);
  };
  const listDue = vi.fn<() => Promise<{ due: [] }>>().mockResolvedValue({ due: [] });
  const runner = new ScheduleRunner({
    store: { storage: { watch }, listDue } as unknown as ScheduleStore,
    now: () => Date.now(),
    logger: createLogger({ level: "silent" }),
    toRunId: ({ id }) => id,
    accept: async () => undefined,
    isOpen: async () => false,
    cancel: async () => "over",
    mayBegin: () => true,
  });
  return { runner, hints, listDue };
}

describe("the runner of schedules", () => {
  it("reads nothing and watches nothing once it was stopped", async () => {
    const { runner, hints, listDue } = makeRunner();
    runner.start();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(listDue.mock.calls.length).toBeGreaterThan(2);
    expect(hints.size).toBe(1);
    await runner.stop();
    listDue.mockClear();
    await vi.advanceTimersByTimeAsync(60_000);
    expect([listDue.mock.calls.length, hints.size, vi.getTimerCount()]).toEqual([0, 0, 0]);
  });

  it.each([0, 1, 10_000])(
    "looks at once when it is started again, if %i ms passed before it was stopped",
    async (ms) => {
      const { runner, listDue } = makeRunner();
      runner.start();
      await vi.advanceTimersByTimeAsync(ms);
      await runner.stop();
      listDue.mockClear();
      runner.start();
      await vi.advanceTimersByTimeAsync(0);
      expect(listDue).toHaveBeenCalledTimes(1);
      await runner.stop();
    },
  );

  it("reads once for many hints", async () => {
    const { runner, hints, listDue } = makeRunner();
    runner.start();
    await vi.advanceTimersByTimeAsync(0);
    listDue.mockClear();
    for (let count = 0; count < 100; count++) for (const hint of hints) hint();
    await vi.advanceTimersByTimeAsync(100);
    expect(listDue).toHaveBeenCalledTimes(1);
    await runner.stop();
  });
});
