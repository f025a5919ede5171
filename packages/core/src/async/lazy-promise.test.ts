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

  it("is a promise, and derived promises are plain ones", () => {
    const lazy = LazyPromise.of(Promise.resolve(), () => {});

    expect(lazy).toBeInstanceOf(Promise);
    expect(lazy.then(String)).not.toBeInstanceOf(LazyPromise);
  });
});
