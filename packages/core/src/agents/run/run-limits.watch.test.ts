import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { TroupeError } from "../../base/errors/troupe-error.ts";
import { countedSignal } from "./test/listeners.ts";
import { smallRun } from "./test/small-run.ts";
import { watchLimits } from "./run-limits.ts";

/** A watch, and the reasons it gave. */
function watch(signals: AbortSignal[], durationMs = 1000): { reasons: TroupeError[]; unwatch: () => void } {
  const reasons: TroupeError[] = [];
  return { reasons, unwatch: watchLimits({ signals, durationMs, onEnd: (reason) => void reasons.push(reason) }) };
}

describe("watchLimits", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("calls back when a signal aborts, has aborted already, or the time is over", () => {
    const live = countedSignal();
    const early = watch([AbortSignal.abort()]);
    expect(early.reasons.map(({ code }) => code)).toEqual(["cancelled"]);

    const { reasons, unwatch } = watch([live.signal], 500);
    live.abort();
    vi.advanceTimersByTime(500);

    expect(reasons.map(({ code }) => code)).toEqual(["cancelled", "limit_exceeded"]);
    expect(reasons[1]?.message).toBe("The run took longer than its limit of 500 ms.");
    unwatch();
    early.unwatch();
  });

  it("leaves no listener and no timer behind, also on a signal that lives on", () => {
    const one = countedSignal();
    const other = countedSignal();
    for (let round = 0; round < 100; round++) watch([one.signal, other.signal]).unwatch();

    expect([one.listeners(), other.listeners(), vi.getTimerCount()]).toEqual([0, 0, 0]);
  });

  it("calls nothing back once the watch is over", () => {
    const live = countedSignal();
    const { reasons, unwatch } = watch([live.signal]);
    unwatch();

    live.abort();
    vi.advanceTimersByTime(10_000);

    expect(reasons).toEqual([]);
  });

  it("ends with its run, whatever the run's end", async () => {
    const { signal, listeners } = countedSignal();
    await smallRun({}, { signal }).execution.run();
    await smallRun({ begin: async () => await Promise.reject(new Error("broken")) }, { signal })
      .execution.run()
      .catch(() => undefined);
    const left = smallRun({}, { signal }).execution;
    await left.next();
    await left.return();
    smallRun({}, { signal });

    expect([listeners(), vi.getTimerCount()]).toEqual([0, 0]);
  });
});
