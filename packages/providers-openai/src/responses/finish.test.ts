import { describe, expect, it } from "vitest";
import { toFinishChunk, toResponsesFinishReason, toResponsesUsage } from "./finish.ts";

describe("toResponsesFinishReason", () => {
  it.each<[object, string, string]>([
    [{ status: "completed" }, "stop", "tool_calls"],
    [{}, "stop", "tool_calls"],
    [{ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }, "length", "length"],
    [{ status: "incomplete", incomplete_details: { reason: "content_filter" } }, "content_filter", "content_filter"],
    [{ status: "incomplete", incomplete_details: { reason: "constructor" } }, "other", "other"],
    [{ status: "incomplete", incomplete_details: null }, "other", "other"],
    [{ status: "completed", incomplete_details: { reason: "content_filter" } }, "stop", "tool_calls"],
  ])("converts %j to %s, with calls to %s", (response, without, withCalls) => {
    expect([toResponsesFinishReason(response, false), toResponsesFinishReason(response, true)]).toEqual([
      without,
      withCalls,
    ]);
  });
});

describe("toResponsesUsage", () => {
  it("reads each count from its own field", () => {
    const usage = {
      input_tokens: 1,
      output_tokens: 2,
      total_tokens: 30,
      input_tokens_details: { cached_tokens: 4, cache_write_tokens: 5 },
      output_tokens_details: { reasoning_tokens: 6 },
    };

    expect(toResponsesUsage(usage)).toEqual({
      promptTokens: 1,
      completionTokens: 2,
      totalTokens: 30,
      cachedTokens: 4,
      cacheWriteTokens: 5,
      reasoningTokens: 6,
      providerMetrics: usage,
    });
  });

  it.each([undefined, null, 7, []])("reads none in %j", (usage) => {
    expect(toResponsesUsage(usage)).toBeUndefined();
  });
});

describe("toFinishChunk", () => {
  const call = { type: "function_call", call_id: "c" };

  it("has what the answer tells", () => {
    const usage = { input_tokens: 1 };

    expect(
      toFinishChunk(
        { id: "r", model: "m", usage },
        { maker: { providerId: "openai", modelId: "gpt" }, items: [call], hasCalls: true },
      ),
    ).toStrictEqual({
      type: "finish",
      finishReason: "tool_calls",
      usage: { promptTokens: 1, completionTokens: 0, totalTokens: 1, providerMetrics: usage },
      responseId: "r",
      model: "m",
      vendorState: { providerId: "openai", modelId: "gpt", items: { outputItems: [call] } },
      skippedCalls: 1,
    });
  });

  it("leaves out what the answer lacks", () => {
    expect(
      toFinishChunk(
        { id: "", model: 7, usage: null },
        { maker: { providerId: "openai", modelId: "gpt" }, items: [], hasCalls: false },
      ),
    ).toStrictEqual({ type: "finish", finishReason: "stop" });
  });
});
