import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LazyPromise } from "./lazy-promise.ts";
import { withTimeout } from "./with-timeout.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const fail = (): never => {
  throw new Error("too late");
};

describe("withTimeout", () => {
  it("returns the result of work that is done in time, and leaves no timer", async () => {
    expect(await withTimeout(Promise.resolve("done"), { timeoutMs: 100, onTimeout: fail })).toBe("done");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("passes on the error of work that fails in time, and leaves no timer", async () => {
    const work = Promise.reject(new Error("planned"));

    await expect(withTimeout(work, { timeoutMs: 100, onTimeout: fail })).rejects.toThrow("planned");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("rejects with what onTimeout throws once the time is over, and not before", async () => {
    const settled = vi.fn<() => void>();
    const waiting = withTimeout(new Promise<string>(() => {}), { timeoutMs: 100, onTimeout: fail });
    waiting.then(settled, settled);

    await vi.advanceTimersByTimeAsync(99);
    expect(settled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);

    await expect(waiting).rejects.toThrow("too late");
  });

  it("returns the value of onTimeout when it does not throw", async () => {
    const waiting = withTimeout(new Promise<boolean>(() => {}), { timeoutMs: 100, onTimeout: () => false });
    await vi.advanceTimersByTimeAsync(100);

    expect(await waiting).toBe(false);
  });

  it("ignores an error that the work throws after the time is over", async () => {
    const { promise, reject } = Promise.withResolvers<string>();
    const waiting = withTimeout(promise, { timeoutMs: 100, onTimeout: () => "late" });
    await vi.advanceTimersByTimeAsync(100);
    reject(new Error("planned"));

    expect(await waiting).toBe("late");
    await vi.advanceTimersByTimeAsync(0);
  });

  it("starts a lazy promise at once", () => {
    const start = vi.fn<() => void>();
    void withTimeout(LazyPromise.of(Promise.resolve(), start), { timeoutMs: 100, onTimeout: fail });

    expect(start).toHaveBeenCalledOnce();
  });

  it("keeps the process alive, unless it is told to unref", async () => {
    vi.useRealTimers();
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = timersThatKeepAlive();

    const waiting = [withTimeout(promise, { timeoutMs: 10_000, onTimeout: fail, unref: true })];
    expect(timersThatKeepAlive()).toBe(before);
    waiting.push(withTimeout(promise, { timeoutMs: 10_000, onTimeout: fail }));
    expect(timersThatKeepAlive()).toBe(before + 1);

    resolve();
    await Promise.all(waiting);
  });
});

function timersThatKeepAlive(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;
}
