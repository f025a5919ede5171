import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { ApiKeyCache } from "./api-key-cache.ts";

function countingCache() {
  const made: (string | undefined)[] = [];
  const cache = new ApiKeyCache((key) => {
    made.push(key);
    return { number: made.length };
  });
  return { cache, made };
}

describe("ApiKeyCache", () => {
  it("creates one value per key, and one for all calls without a key", () => {
    const { cache, made } = countingCache();

    const first = cache.get("a");

    expect(cache.get("a")).toBe(first);
    expect(cache.get("b")).not.toBe(first);
    expect(cache.get(undefined)).toBe(cache.get(undefined));
    expect(made).toEqual(["a", "b", undefined]);
  });

  it("shares nothing between an empty key and none", () => {
    const { cache, made } = countingCache();
    const none = cache.get(undefined);
    expect(cache.get("")).not.toBe(none);
    expect(cache.get(undefined)).toBe(none);
    expect(made).toEqual([undefined, ""]);
  });

  it("keeps a hundred values, and drops the least recently used", () => {
    const { cache } = countingCache();
    const first = cache.get("key 1");
    const second = cache.get("key 2");
    for (let number = 3; number <= 100; number += 1) cache.get(`key ${number}`);

    cache.get("key 1");
    cache.get("one more");

    expect(cache.size).toBe(100);
    expect(cache.get("key 1")).toBe(first);
    expect(cache.get("key 2")).not.toBe(second);
  });

  it("shows no key when it is printed", () => {
    const { cache } = countingCache();
    cache.get("sk-canary");

    expect(inspect(cache, { depth: Infinity, showHidden: true })).not.toContain("sk-canary");
  });
});
