import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addUsage, noUsage } from "../base/message/token-usage.ts";
import type { TokenUsage } from "../base/message/token-usage.ts";
import { describeUsageProblem, normalizeUsage } from "./normalize-usage.ts";

const reported = (usage: Record<string, unknown>) => normalizeUsage(usage as TokenUsage);

describe("normalizeUsage", () => {
  it("does not change usage whose counters are all numbers", () => {
    const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 5, reasoningTokens: 0, cachedTokens: 1 };

    expect(normalizeUsage(usage)).toEqual(usage);
  });

  it.each([undefined, null])("treats %s as no usage", (usage) => {
    expect(normalizeUsage(usage as undefined)).toEqual(noUsage);
  });

  it.each([Number.NaN, -1, Infinity, 1e308, 1.5, "12", null, {}, 3n])("counts %o as 0", (count) => {
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

  it("keeps the vendor's own metrics unchanged, or leaves out all of them [usage.provider-metrics]", () => {
    const kept = { cost: 0.5, note: "é", parts: [null, { tokens: -3 }] };

    expect(normalizeUsage({ ...noUsage, providerMetrics: kept }).providerMetrics).toBe(kept);
    for (const metrics of [{ tokens: 3, odd: Number.NaN }, { call: () => 1 }, [kept], "tokens"]) {
      expect(reported({ ...noUsage, providerMetrics: metrics })).toEqual(noUsage);
    }
  });

  it("can be added, whatever was reported", () => {
    const anything = fc.dictionary(
      fc.constantFrom("promptTokens", "completionTokens", "totalTokens", "audioInputTokens", "reasoningTokens"),
      fc.anything(),
    );
    fc.assert(
      fc.property(anything, (usage) => {
        for (const count of Object.values(addUsage(noUsage, reported(usage)))) {
          expect(Number.isSafeInteger(count) && (count as number) >= 0).toBe(true);
        }
      }),
    );
  });
});

describe("describeUsageProblem", () => {
  it.each<[usage: unknown, problem: RegExp]>([
    [undefined, /^nothing$/],
    [null, /^nothing$/],
    [{ ...noUsage, cachedTokens: 3, providerMetrics: { cost: 0.5 } }, /^nothing$/],
    [7, /^is not an object/],
    [{ ...noUsage, totalTokens: 1e308 }, /^has a number that can be no count/],
    // What a provider has left out, because it could not be counted.
    [{ ...noUsage, providerMetrics: { total_tokens: 1e308 } }, /^has a number that can be no count/],
    [{ ...noUsage, providerMetrics: { details: [{ tokens: -1 }] } }, /^has a number that can be no count/],
    [{ ...noUsage, providerMetrics: { total_tokens: Infinity } }, /^holds the number Infinity/],
  ])("says of %j: %s", (usage, problem) => {
    expect(describeUsageProblem(usage) ?? "nothing").toMatch(problem);
  });
});
