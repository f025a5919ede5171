import { describe, expect, it } from "vitest";
import { toChatFinishReason, toChatUsage } from "./finish.ts";

describe("toChatFinishReason", () => {
  it.each([
    ["stop", "stop", "tool_calls"],
    ["tool_calls", "other", "tool_calls"],
    ["function_call", "other", "tool_calls"],
    ["length", "length", "length"],
    ["content_filter", "content_filter", "content_filter"],
    ["eos", "other", "other"],
    ["", "other", "other"],
    ["toString", "other", "other"],
    ["__proto__", "other", "other"],
    ["STOP", "other", "other"],
  ])("converts %j to %s, with calls to %s", (reason, without, withCalls) => {
    expect([toChatFinishReason(reason, false), toChatFinishReason(reason, true)]).toEqual([without, withCalls]);
  });
});

describe("toChatUsage", () => {
  it("reads each count from its own field", () => {
    const usage = {
      prompt_tokens: 1,
      completion_tokens: 2,
      total_tokens: 30,
      prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 5, audio_tokens: 6 },
      completion_tokens_details: { reasoning_tokens: 7, audio_tokens: 8 },
    };

    expect(toChatUsage(usage, { reasoningApart: false })).toEqual({
      promptTokens: 1,
      completionTokens: 2,
      totalTokens: 30,
      cachedTokens: 4,
      cacheWriteTokens: 5,
      audioInputTokens: 6,
      reasoningTokens: 7,
      audioOutputTokens: 8,
      providerMetrics: usage,
    });
  });

  it.each<[string, object, object]>([
    ["adds up a missing total", { prompt_tokens: 1, completion_tokens: 2 }, { totalTokens: 3 }],
    ["keeps a total of 0", { prompt_tokens: 1, completion_tokens: 2, total_tokens: 0 }, { totalTokens: 0 }],
    ["takes the cached tokens of DeepSeek", { prompt_cache_hit_tokens: 9 }, { cachedTokens: 9 }],
    [
      "prefers the cached tokens of OpenAI, 0 too",
      { prompt_cache_hit_tokens: 9, prompt_tokens_details: { cached_tokens: 0 } },
      { cachedTokens: 0 },
    ],
    ["counts nothing in an empty usage", {}, { promptTokens: 0, completionTokens: 0, totalTokens: 0 }],
    ["takes no text as a count", { prompt_tokens: "7", prompt_tokens_details: "x" }, { promptTokens: 0 }],
  ])("%s", (_, usage, expected) => {
    expect(toChatUsage(usage, { reasoningApart: false })).toMatchObject(expected);
  });

  it("adds the reasoning that a server counts apart, so that the sum is its total", () => {
    const usage = {
      prompt_tokens: 10,
      completion_tokens: 2,
      total_tokens: 19,
      completion_tokens_details: { reasoning_tokens: 7 },
    };

    expect(toChatUsage(usage, { reasoningApart: true })).toMatchObject({
      promptTokens: 10,
      completionTokens: 9,
      totalTokens: 19,
      reasoningTokens: 7,
    });
    expect(toChatUsage({ completion_tokens: 2 }, { reasoningApart: true })).toMatchObject({ completionTokens: 2 });
  });

  it.each([undefined, null, 7, "7"])("reads no usage from %j", (usage) => {
    expect(toChatUsage(usage, { reasoningApart: false })).toBeUndefined();
  });
});
