import { describe, expect, it } from "vitest";
import { toFinishReason } from "./to-finish-reason.ts";
import { laterUsage, toUsage } from "./to-usage.ts";

describe("toUsage", () => {
  it("counts the tokens from and to the cache as input", () => {
    const usage = {
      input_tokens: 1,
      cache_read_input_tokens: 20,
      cache_creation_input_tokens: 300,
      output_tokens: 4000,
      output_tokens_details: { thinking_tokens: 5 },
    };

    expect(toUsage(usage)).toEqual({
      promptTokens: 321,
      completionTokens: 4000,
      totalTokens: 4321,
      cachedTokens: 20,
      cacheWriteTokens: 300,
      reasoningTokens: 5,
      providerMetrics: usage,
    });
  });

  it.each<[string, object, object]>([
    ["input alone", { input_tokens: 7 }, { promptTokens: 7, completionTokens: 0, totalTokens: 7 }],
    ["the cache alone", { cache_read_input_tokens: 7 }, { promptTokens: 7, cachedTokens: 7 }],
    ["null in the cache", { input_tokens: 7, cache_read_input_tokens: null }, { promptTokens: 7, totalTokens: 7 }],
    ["0 in the cache", { input_tokens: 7, cache_read_input_tokens: 0 }, { promptTokens: 7, cachedTokens: 0 }],
    ["texts", { input_tokens: "7", output_tokens: "8" }, { promptTokens: 0, completionTokens: 0, totalTokens: 0 }],
  ])("reads %s", (_, usage, expected) => {
    expect(toUsage(usage)).toMatchObject(expected);
  });

  it.each([undefined, null, 7])("counts nothing in %j", (usage) => {
    expect(toUsage(usage)).toEqual({ promptTokens: 0, completionTokens: 0, totalTokens: 0 });
  });
});

describe("laterUsage", () => {
  it.each<[object, unknown, object]>([
    [
      { a: 1, b: 2 },
      { b: 3, c: 4 },
      { a: 1, b: 3, c: 4 },
    ],
    [{ a: 1 }, { a: 0 }, { a: 0 }],
    [{ a: 1 }, { a: null }, { a: 1 }],
    [{ a: 1 }, { a: undefined }, { a: 1 }],
    [{ a: 1 }, undefined, { a: 1 }],
    [{ a: 1 }, "x", { a: 1 }],
    [{}, { a: 1 }, { a: 1 }],
  ])("merges %j and %j to %j", (earlier, later, merged) => {
    const before = structuredClone(earlier);

    expect(laterUsage({ ...earlier }, later)).toEqual(merged);
    expect(earlier).toEqual(before);
  });
});

describe("toFinishReason", () => {
  it.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["tool_use", "tool_calls"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["refusal", "content_filter"],
    ["pause_turn", "other"],
    ["", "other"],
    ["constructor", "other"],
    ["__proto__", "other"],
  ])("converts %j to %s", (given, reason) => {
    expect(toFinishReason(given)).toBe(reason);
  });
});
