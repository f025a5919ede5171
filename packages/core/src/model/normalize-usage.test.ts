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

describe("the bounds of a usage", () => {
  const nested = (levels: number) => {
    let metrics: Record<string, unknown> = {};
    for (let level = 1; level < levels; level++) metrics = { v: metrics };
    return metrics;
  };
  const many = (count: number) => ({ v: Array.from({ length: count - 2 }, () => 0) });

  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ["16 levels", nested(16), nested(17)],
    ["2048 values", many(2048), many(2049)],
    ["16,384 characters", { v: "x".repeat(16_383) }, { v: "x".repeat(16_384) }],
  ])("of a vendor's metrics are %s", (_what, kept, refused) => {
    expect(normalizeUsage({ ...noUsage, providerMetrics: kept }).providerMetrics).toBe(kept);
    expect(describeUsageProblem({ ...noUsage, providerMetrics: kept })).toBeUndefined();
    expect(normalizeUsage({ ...noUsage, providerMetrics: refused })).toEqual(noUsage);
    expect(describeUsageProblem({ ...noUsage, providerMetrics: refused })).toMatch(
      /\. It is left out of providerMetrics$/,
    );
  });

  it.each(["promptTokens", "completionTokens", "totalTokens", "reasoningTokens", "cachedTokens", "audioInputTokens"])(
    "the bounds of a usage of %s are those of a count",
    (counter) => {
      expect(describeUsageProblem({ [counter]: 2 ** 53 - 1 })).toBeUndefined();
      for (const wrong of [-1, 0.5, 2 ** 53, "1", null]) {
        expect(describeUsageProblem({ [counter]: wrong })).toBe(
          "has a number that can be no count of tokens. It is not counted",
        );
      }
    },
  );

  it("are told in full sentences", () => {
    expect(describeUsageProblem([])).toBe("is not an object. No tokens are counted");
    expect(describeUsageProblem({ providerMetrics: 5 })).toBe("is not an object. It is left out of providerMetrics");
  });

  it("keep the sum of two large counts within what can be counted", () => {
    const most = Number.MAX_SAFE_INTEGER;

    expect(normalizeUsage({ promptTokens: most, completionTokens: 5 } as TokenUsage).totalTokens).toBe(most);
    expect(reported({ promptTokens: 2, completionTokens: 3, totalTokens: 0 }).totalTokens).toBe(0);
    expect(reported({ promptTokens: 2, completionTokens: 3, totalTokens: -1 }).totalTokens).toBe(5);
  });
});
