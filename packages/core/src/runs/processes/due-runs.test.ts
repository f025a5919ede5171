import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DueRuns } from "./due-runs.ts";

const start = 1_000_000_000_000;
/** Milliseconds before its time at which a run is noted, and the maximum number of noted runs. */
const aheadMs = 30_000;
const mostRuns = 20_000;

beforeEach(() => void vi.useFakeTimers({ now: start }));
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** The waiting runs of a process, and those that it has woken, each with the milliseconds since the start. */
function dueRuns(onWake: (runId: string) => Promise<void> | void = () => undefined) {
  const due = new DueRuns(Date.now);
  const woken: [runId: string, ms: number][] = [];
  due.start(async (runId) => {
    woken.push([runId, Date.now() - start]);
    await onWake(runId);
  });
  return { due, woken };
}

describe("the runs that are due", () => {
  it("are woken in the order of their times, by one timer that does not keep the program running", async () => {
    const timers = vi.spyOn(globalThis, "setTimeout");
    const { due, woken } = dueRuns();
    for (const ms of [900, 100, 500, 501, 0, 29_999]) due.add(`after ${ms} ms`, start + ms);

    expect(vi.getTimerCount()).toBe(1);
    expect(timers.mock.results.map(({ value }) => (value as NodeJS.Timeout).hasRef())).not.toContain(true);
    await vi.advanceTimersByTimeAsync(499);
    expect(woken.map(([, ms]) => ms)).toEqual([0, 100]);
    await vi.advanceTimersByTimeAsync(1);
    expect(woken.map(([, ms]) => ms)).toEqual([0, 100, 500]);
    await vi.advanceTimersByTimeAsync(aheadMs);
    expect(woken).toEqual([0, 100, 500, 501, 900, 29_999].map((ms) => [`after ${ms} ms`, ms]));
    expect(vi.getTimerCount()).toBe(0);
  });

  it("are noted only shortly before their time, and those in the past at once", async () => {
    const { due, woken } = dueRuns();
    for (const ms of [aheadMs, aheadMs + 1, 86_400_000, Infinity, NaN]) due.add("later", start + ms);
    expect(vi.getTimerCount()).toBe(0);
    due.add("soon", start + aheadMs - 1);
    due.add("past", start - 86_400_000);
    await vi.advanceTimersByTimeAsync(2 * aheadMs);
    expect(woken).toEqual([
      ["past", 0],
      ["soon", aheadMs - 1],
    ]);
  });

  it("are woken once, however often a run is noted with its time, and once for each of its times", async () => {
    const { due, woken } = dueRuns();
    for (const at of [5, 5, 7, 5, 7]) for (const runId of ["é", "a"]) due.add(runId, start + at);
    await vi.advanceTimersByTimeAsync(10);
    expect(woken).toEqual([
      ["a", 5],
      ["é", 5],
      ["a", 7],
      ["é", 7],
    ]);
  });

  it("are the earliest if there are too many, with one timer for all", async () => {
    const { due, woken } = dueRuns();
    for (let index = mostRuns + 1; index > 0; index--) due.add(`r${index}`, start + (index % 2 === 0 ? index : 20_000));
    due.add("first", start + 1);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(aheadMs);

    expect(woken).toHaveLength(mostRuns);
    expect(woken[0]).toEqual(["first", 1]);
    // All runs with even numbers come before the time that the others share.
    expect(woken.filter(([runId]) => Number(runId.slice(1)) % 2 === 0)).toHaveLength(mostRuns / 2);
  });

  it("are woken also if they are noted while others are woken", async () => {
    const going = Promise.withResolvers<void>();
    const { due, woken } = dueRuns(async (runId) => {
      if (runId === "slow") await going.promise;
    });
    due.add("slow", start);
    await vi.advanceTimersByTimeAsync(1);
    due.add("late", start + 2);
    due.add("later", start + 9);
    await vi.advanceTimersByTimeAsync(5);
    expect(woken).toEqual([["slow", 0]]);
    going.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(woken.slice(1)).toEqual([["late", 6]]);
    await vi.advanceTimersByTimeAsync(5);
    expect(woken.slice(2)).toEqual([["later", 9]]);
  });

  it("are not woken early if the clock is set back, and late ones at the next timer if it is set forward", async () => {
    const { due, woken } = dueRuns();
    due.add("run", start + 1000);
    vi.setSystemTime(start - 86_400_000);
    await vi.advanceTimersByTimeAsync(1000);
    expect(woken).toEqual([]);
    vi.setSystemTime(start + 5000);
    await vi.advanceTimersByTimeAsync(aheadMs);
    expect(woken).toMatchObject([["run", expect.any(Number)]]);
  });

  it("are neither noted nor woken before the start and after the stop", async () => {
    const woken: string[] = [];
    const due = new DueRuns(Date.now);
    due.add("before", start);
    const wake = async (runId: string) => {
      woken.push(runId);
      due.stop();
    };
    due.start(wake);
    for (const runId of ["a", "b"]) due.add(runId, start + (runId === "a" ? 1 : 2));
    await vi.advanceTimersByTimeAsync(10);
    due.add("after", start);
    expect([woken, vi.getTimerCount()]).toEqual([["a"], 0]);

    due.start(wake);
    due.add("again", Date.now());
    await vi.advanceTimersByTimeAsync(1);
    expect(woken).toEqual(["a", "again"]);
  });
});
