import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addUsage, noUsage, normalizeUsage } from "./token-usage.ts";
import type { TokenUsage } from "./token-usage.ts";

const reported = (usage: Record<string, unknown>) => normalizeUsage(usage as TokenUsage);

describe("normalizeUsage", () => {
  it("does not change usage whose counters are all numbers", () => {
    const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 5, reasoningTokens: 0, cachedTokens: 1 };

    expect(normalizeUsage(usage)).toEqual(usage);
  });

  it.each([undefined, null])("treats %s as no usage", (usage) => {
    expect(normalizeUsage(usage as undefined)).toEqual(noUsage);
  });

  it.each([Number.NaN, -1, Infinity, "12", null, {}, 3n])("counts %o as 0", (count) => {
    expect(reported({ promptTokens: count, completionTokens: 2, totalTokens: 2, cachedTokens: count })).toEqual({
      promptTokens: 0,
      completionTokens: 2,
      totalTokens: 2,
      cachedTokens: 0,
    });
  });

  it("computes a missing total from its parts, and leaves out counters that were not reported", () => {
    expect(reported({ promptTokens: 3, completionTokens: 4 })).toEqual({
      promptTokens: 3,
      completionTokens: 4,
      totalTokens: 7,
    });
  });

  it("keeps the vendor's own metrics unchanged [usage.provider-metrics]", () => {
    const providerMetrics = { odd: Number.NaN };

    expect(normalizeUsage({ ...noUsage, providerMetrics }).providerMetrics).toBe(providerMetrics);
  });

  it("can be added, whatever was reported", () => {
    const anything = fc.dictionary(
      fc.constantFrom("promptTokens", "completionTokens", "totalTokens", "audioInputTokens", "reasoningTokens"),
      fc.anything(),
    );
    fc.assert(
      fc.property(anything, (usage) => {
        for (const count of Object.values(addUsage(noUsage, reported(usage)))) {
          expect(Number.isFinite(count) && (count as number) >= 0).toBe(true);
        }
      }),
    );
  });
});
