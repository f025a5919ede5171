import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addUsage, noUsage } from "./token-usage.ts";
import type { TokenUsage } from "./token-usage.ts";

const count = fc.nat({ max: 1_000_000 });
const usage = fc.record(
  {
    promptTokens: count,
    completionTokens: count,
    totalTokens: count,
    reasoningTokens: count,
    cachedTokens: count,
    cacheWriteTokens: count,
    audioInputTokens: count,
    audioOutputTokens: count,
    providerMetrics: fc.dictionary(fc.string(), count),
  },
  { requiredKeys: ["promptTokens", "completionTokens", "totalTokens"] },
);

describe("addUsage", () => {
  it("tells cache reads and cache writes apart, and adds up both [usage.cache-writes]", () => {
    const one: TokenUsage = { ...noUsage, cachedTokens: 3, cacheWriteTokens: 20 };
    const two: TokenUsage = { ...noUsage, cachedTokens: 40 };

    expect(addUsage(one, two)).toEqual({ ...noUsage, cachedTokens: 43, cacheWriteTokens: 20 });
    expect(addUsage(two, addUsage(one, one))).toEqual({ ...noUsage, cachedTokens: 46, cacheWriteTokens: 40 });
  });

  it("adds every counter [usage.totals]", () => {
    const one: TokenUsage = {
      promptTokens: 1,
      completionTokens: 2,
      totalTokens: 3,
      reasoningTokens: 1,
      cachedTokens: 1,
    };
    const two: TokenUsage = { promptTokens: 10, completionTokens: 20, totalTokens: 30, cachedTokens: 5 };

    expect(addUsage(one, two)).toEqual({
      promptTokens: 11,
      completionTokens: 22,
      totalTokens: 33,
      reasoningTokens: 1,
      cachedTokens: 6,
    });
  });

  it("leaves out a counter that neither usage has [usage.optional]", () => {
    expect(Object.keys(addUsage(noUsage, noUsage))).toEqual(["promptTokens", "completionTokens", "totalTokens"]);
  });

  it("keeps the vendor metrics of the later usage, as the same object [usage.provider-metrics]", () => {
    const [earlier, later] = [{ a: 1 }, { b: 2 }];

    const both = addUsage({ ...noUsage, providerMetrics: earlier }, { ...noUsage, providerMetrics: later });
    const first = addUsage({ ...noUsage, providerMetrics: earlier }, noUsage);

    expect(both.providerMetrics).toBe(later);
    expect(first.providerMetrics).toBe(earlier);
  });

  it("is associative", () => {
    fc.assert(
      fc.property(usage, usage, usage, (a, b, c) => {
        expect(addUsage(addUsage(a, b), c)).toEqual(addUsage(a, addUsage(b, c)));
      }),
    );
  });

  it("has noUsage as its neutral element, on either side", () => {
    fc.assert(
      fc.property(usage, (any) => {
        expect(addUsage(noUsage, any)).toEqual(any);
        expect(addUsage(any, noUsage)).toEqual(any);
      }),
    );
  });

  it("changes neither argument", () => {
    const frozen = Object.freeze({ ...noUsage, cachedTokens: 1 });

    expect(() => addUsage(frozen, frozen)).not.toThrow();
  });
});
