import { describe, expect, it, onTestFinished, vi } from "vitest";
import { drainReply, leaveSoon } from "./reply.ts";

describe("drainReply", () => {
  it("reads to the end", async () => {
    const left = ["a", "b"];
    const next = async () => ({ done: left.length === 0, value: left.shift() });

    await drainReply({ next });

    expect(left).toEqual([]);
  });

  it("ignores a failure", async () => {
    await expect(drainReply({ next: () => Promise.reject(new Error("reset")) })).resolves.toBeUndefined();
  });

  it("stops waiting for a server that neither sends nor ends", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    let end: (() => void) | undefined;
    const bytes = {
      next: () => new Promise<IteratorResult<unknown>>((resolve) => (end = () => resolve({ done: true, value: 0 }))),
      return: async () => {
        end?.();
        return { done: true as const, value: undefined };
      },
    };

    const reading = drainReply(bytes);
    // In false time the process is never idle.
    await vi.advanceTimersByTimeAsync(5000);

    await expect(reading).resolves.toBeUndefined();
    vi.useRealTimers();
  });
});

describe("leaveSoon", () => {
  /** Starts the wait, and returns whether it is over and a function that lets a tick come, so many milliseconds after the last. */
  function startWait() {
    let nowMs = 0;
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    vi.spyOn(performance, "now").mockImplementation(() => nowMs);
    vi.spyOn(performance, "eventLoopUtilization").mockImplementation(() => ({
      idle: nowMs,
      active: 0,
      utilization: 0,
    }));
    onTestFinished(() => {
      vi.restoreAllMocks();
      vi.useRealTimers();
    });
    const leave = vi.fn<() => void>();
    leaveSoon(leave);
    const tick = (afterMs: number): void => {
      nowMs += afterMs;
      vi.advanceTimersByTime(250);
    };
    return { leave, tick };
  }

  it("leaves after a second in which the process had nothing to do", () => {
    const { leave, tick } = startWait();
    for (let ticks = 0; ticks < 3; ticks++) tick(260);
    expect(leave).not.toHaveBeenCalled();

    tick(260);

    expect(leave).toHaveBeenCalledOnce();
  });

  it("does not count time in which the process got no turn, but leaves after five seconds of it too", () => {
    const { leave, tick } = startWait();
    for (const afterMs of [1300, 260, 260, 700, 260]) tick(afterMs);
    expect(leave).not.toHaveBeenCalled();
    tick(260);
    expect(leave).toHaveBeenCalledOnce();

    const starved = startWait();
    for (let ticks = 0; ticks < 19; ticks++) starved.tick(600);
    expect(starved.leave).not.toHaveBeenCalled();
    starved.tick(600);
    expect(starved.leave).toHaveBeenCalledOnce();
  });
});
