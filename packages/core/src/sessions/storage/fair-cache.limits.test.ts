import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FairCache } from "./fair-cache.ts";
import type { FairLimits } from "./fair-cache.ts";

const groupOf = (key: string): string => key.split("/")[0] ?? "";

function cacheOf(limits: Partial<FairLimits<string>> = {}) {
  const [dropped, shrunk]: [string[], string[]] = [[], []];
  const onFull = vi.fn<() => void>();
  const all = { maxEntries: 100, maxBytes: 1000, groupOf, onDrop: (key: string) => void dropped.push(key), onFull };
  const cache = new FairCache({ ...all, ...limits });
  const add = (key: string, bytes: number, shrink: () => boolean = () => false) => {
    cache.add(key, bytes);
    cache.trim(key, () => (shrunk.push(key), shrink()));
  };
  return { cache, add, dropped, shrunk, onFull };
}

describe("the bytes of a cache", () => {
  it("are those of its entries and of their groups, each group once and for as long as it has entries", () => {
    const { cache } = cacheOf({ groupBytes: 100 });
    const seen: number[] = [];
    const note = (act: () => void) => (act(), seen.push(cache.bytes));
    note(() => cache.add("a/1", 10));
    note(() => cache.add("a/2", 20));
    note(() => cache.add("a/1", -5));
    note(() => cache.add("b/1", 1));
    note(() => cache.delete("a/1"));
    note(() => cache.delete("a/1"));
    note(() => cache.delete("a/2"));
    note(() => cache.delete("b/1"));
    note(() => cache.add("a/1", 10));
    expect(seen).toEqual([110, 130, 125, 226, 221, 221, 101, 0, 110]);
  });

  it("may be exactly as many as its limit, and one more drops the oldest entry of the fullest group", () => {
    const { add, dropped, onFull } = cacheOf({ maxBytes: 30 });
    add("a/1", 10);
    add("b/1", 5);
    add("a/2", 15);
    expect([dropped, onFull.mock.calls.length]).toEqual([[], 0]);
    add("b/2", 1);
    expect([dropped, onFull.mock.calls.length]).toEqual([["a/1"], 1]);
  });

  it("are kept by an entry that is made smaller in place of being dropped, as often as that helps", () => {
    const { cache, add, dropped, shrunk } = cacheOf({ maxBytes: 30 });
    let left = 2;
    add("a/1", 50, () => {
      if (left-- > 0) cache.add("a/1", -5);
      return left >= 0;
    });
    expect(shrunk).toEqual(["a/1", "a/1", "a/1"]);
    expect([dropped, cache.bytes]).toEqual([["a/1"], 0]);
  });

  it("the bytes of a cache that are too many for nothing that is left end the trimming", () => {
    const { cache, add, dropped } = cacheOf({ maxBytes: -1 });
    add("a/1", 1);
    expect([dropped, cache.bytes]).toEqual([["a/1"], 0]);
  });
});

describe("the number of entries of a cache", () => {
  it("may be its limit, and one more drops the oldest of the group that has most, without a word about bytes", () => {
    const { add, dropped, onFull } = cacheOf({ maxEntries: 3 });
    for (const key of ["a/1", "b/1", "b/2"]) add(key, 1);
    expect(dropped).toEqual([]);
    add("a/2", 500);
    expect(dropped).toEqual(["b/1"]);
    expect(onFull).not.toHaveBeenCalled();
  });

  it("the number of entries of a cache of two groups with equally many takes from the one that was not used for longest", () => {
    const { cache, add, dropped } = cacheOf({ maxEntries: 2 });
    add("a/1", 1);
    add("b/1", 1);
    expect(cache.use("a/1")).toBe(true);
    add("c/1", 1);
    expect(dropped).toEqual(["b/1"]);
  });
});

describe("an entry", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("is there once it is added, and is not after it was deleted, which drops nothing", () => {
    const { cache, dropped } = cacheOf();
    expect(cache.use("a/1")).toBe(false);
    cache.add("a/1", 1);
    expect(cache.use("a/1")).toBe(true);
    cache.delete("a/1");
    expect(cache.use("a/1")).toBe(false);
    expect(dropped).toEqual([]);
  });

  it("an entry that was not used for its time is dropped with its bytes, and one that was is not", () => {
    const { cache, dropped } = cacheOf({ ttlMs: 1000, groupBytes: 100 });
    cache.add("a/1", 10);
    cache.add("a/2", 20);
    vi.advanceTimersByTime(999);
    expect(cache.use("a/2")).toBe(true);
    vi.advanceTimersByTime(1);
    cache.prune();
    expect([dropped, cache.bytes]).toEqual([["a/1"], 120]);
    expect(cache.use("a/1")).toBe(false);
  });

  it("stays for good where there is no time", () => {
    const { cache, dropped } = cacheOf();
    cache.add("a/1", 10);
    vi.advanceTimersByTime(1_000_000_000);
    cache.prune();
    expect([cache.use("a/1"), dropped]).toEqual([true, []]);
  });
});
