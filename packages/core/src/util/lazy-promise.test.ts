import { describe, expect, it, vi } from "vitest";
import { LazyPromise } from "./lazy-promise.ts";

describe("LazyPromise", () => {
  it("starts its work when it is first waited for, and once", async () => {
    const start = vi.fn<() => void>();
    const lazy = LazyPromise.of(Promise.resolve(1), start);
    await Promise.resolve();
    expect(start).not.toHaveBeenCalled();

    expect(await Promise.all([lazy, lazy.then((value) => value + 1), lazy])).toEqual([1, 2, 1]);
    expect(start).toHaveBeenCalledOnce();
  });

  it.each(["catch", "finally"] as const)("is waited for by %s too", async (way) => {
    const start = vi.fn<() => void>();
    await LazyPromise.of(Promise.resolve(), start)[way](() => undefined);

    expect(start).toHaveBeenCalledOnce();
  });

  it("is a promise, and what derives from it is a plain one", () => {
    const lazy = LazyPromise.of(Promise.resolve(), () => {});

    expect(lazy).toBeInstanceOf(Promise);
    expect(lazy.then(String)).not.toBeInstanceOf(LazyPromise);
  });
});
