import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LruCache } from "./lru-cache.ts";

const limits = { maxEntries: 3, ttlMs: 100 };

/** The same cache as a list, oldest first. */
class ListCache {
  #entries: { key: string; value: number; usedAt: number }[] = [];

  get size() {
    return this.#entries.length;
  }

  get(key: string) {
    this.#prune();
    const value = this.peek(key);
    if (value !== undefined) this.#use(key, value);
    return value;
  }

  peek(key: string) {
    return this.#entries.find((entry) => entry.key === key)?.value;
  }

  set(key: string, value: number) {
    this.#use(key, value);
    this.#prune();
  }

  delete(key: string) {
    this.#entries = this.#entries.filter((entry) => entry.key !== key);
  }

  #use(key: string, value: number) {
    this.delete(key);
    this.#entries.push({ key, value, usedAt: performance.now() });
  }

  #prune() {
    const isFresh = ({ usedAt }: { usedAt: number }) => performance.now() - usedAt < limits.ttlMs;
    this.#entries = this.#entries.filter(isFresh).slice(-limits.maxEntries);
  }
}

type Cache = Pick<ListCache, "get" | "peek" | "set" | "delete" | "size">;

describe("LruCache", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it("keeps what a list sorted by use would keep", () => {
    const key = fc.constantFrom("a", "b", "c", "d", "e");
    const step = fc.oneof(
      key.map((name) => (cache: Cache) => cache.get(name)),
      key.map((name) => (cache: Cache) => cache.peek(name)),
      key.map((name) => (cache: Cache) => cache.delete(name)),
      fc.tuple(key, fc.nat()).map(
        ([name, value]) =>
          (cache: Cache) =>
            cache.set(name, value),
      ),
    );

    fc.assert(
      fc.property(fc.array(fc.tuple(step, fc.nat(40)), { maxLength: 60, size: "max" }), (steps) => {
        const cache = new LruCache<string, number>(limits);
        const list = new ListCache();
        for (const [take, ms] of steps) {
          expect(take(cache)).toBe(take(list));
          expect(cache.size).toBe(list.size);
          vi.advanceTimersByTime(ms);
        }
      }),
    );
  });

  it("tells which entry it dropped, but not which one was deleted or replaced", () => {
    const dropped: [string, number][] = [];
    const cache = new LruCache<string, number>({ maxEntries: 2, onDrop: (...entry) => dropped.push(entry) });
    cache.set("a", 1);
    cache.set("a", 2);
    cache.set("b", 3);
    cache.delete("b");
    cache.set("c", 4);
    cache.get("a");
    cache.set("d", 5);

    expect(dropped).toEqual([["c", 4]]);
  });

  it("drops entries that were not used for their time when it is pruned", () => {
    const dropped: string[] = [];
    const cache = new LruCache<string, number>({ maxEntries: 10, ttlMs: 50, onDrop: (key) => dropped.push(key) });
    cache.set("a", 1);
    cache.set("b", 2);
    vi.advanceTimersByTime(49);
    cache.get("a");
    vi.advanceTimersByTime(1);
    cache.prune();

    expect(dropped).toEqual(["b"]);
    expect(cache.peek("a")).toBe(1);
  });
});
