import { describe, expect, it, vi } from "vitest";
import { LazyPromise } from "./lazy-promise.ts";

describe("LazyPromise", () => {
  it("starts its work on the first await, and only once", async () => {
    const start = vi.fn<() => void>();
    const lazy = LazyPromise.of(Promise.resolve(1), start);
    await Promise.resolve();
    expect(start).not.toHaveBeenCalled();

    expect(await Promise.all([lazy, lazy.then((value) => value + 1), lazy])).toEqual([1, 2, 1]);
    expect(start).toHaveBeenCalledOnce();
  });

  it.each(["catch", "finally"] as const)("starts its work by %s too", async (way) => {
    const start = vi.fn<() => void>();
    await LazyPromise.of(Promise.resolve(), start)[way](() => undefined);

    expect(start).toHaveBeenCalledOnce();
  });

  it("rejects as the promise that was given, also for those who derive from it", async () => {
    const failure = new Error("Out of paper.");
    const lazy = LazyPromise.of(Promise.reject(failure), () => undefined);

    await expect(lazy).rejects.toBe(failure);
    expect(await lazy.then(undefined, (error: unknown) => error)).toBe(failure);
    expect(await lazy.catch((error: unknown) => error)).toBe(failure);
  });

  it("is never an unhandled rejection, and does not begin by that", async () => {
    const unhandled = vi.fn<() => void>();
    process.on("unhandledRejection", unhandled);
    const start = vi.fn<() => void>();
    void LazyPromise.of(Promise.reject(new Error("Out of paper.")), start);
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", unhandled);

    expect([unhandled.mock.calls, start.mock.calls]).toEqual([[], []]);
  });

  it("is a promise, and derived promises are plain ones", () => {
    const lazy = LazyPromise.of(Promise.resolve(), () => {});

    expect(lazy).toBeInstanceOf(Promise);
    expect(lazy.then(String)).not.toBeInstanceOf(LazyPromise);
  });
});
