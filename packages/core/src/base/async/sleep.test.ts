import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { sleep } from "./sleep.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("sleep", () => {
  it("waits for the given time, and leaves no listener on the signal", async () => {
    const { signal } = new AbortController();
    const woken = vi.fn<() => void>();
    const slept = sleep(1000, signal).then(woken);

    await vi.advanceTimersByTimeAsync(999);
    expect(woken).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await slept;

    expect(woken).toHaveBeenCalledOnce();
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("rejects with the signal's reason when it aborts, and leaves no timer and no listener", async () => {
    const controller = new AbortController();
    const slept = sleep(1000, controller.signal);
    const reason = new Error("enough");

    controller.abort(reason);

    await expect(slept).rejects.toBe(reason);
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });

  it("does not start when the signal has aborted", async () => {
    await expect(sleep(1000, AbortSignal.abort("before"))).rejects.toBe("before");
    expect(vi.getTimerCount()).toBe(0);
  });
});
