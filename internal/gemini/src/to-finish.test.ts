import { describe, expect, it } from "vitest";
import { toFinish } from "./to-finish.ts";

const usage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };

describe("toFinish", () => {
  it.each([
    ["STOP", "stop", "tool_calls"],
    ["MAX_TOKENS", "length", "length"],
    ["CONTINUATION", "length", "length"],
    ["SAFETY", "content_filter", "content_filter"],
    ["RECITATION", "content_filter", "content_filter"],
    ["BLOCKLIST", "content_filter", "content_filter"],
    ["PROHIBITED_CONTENT", "content_filter", "content_filter"],
    ["SPII", "content_filter", "content_filter"],
    ["IMAGE_SAFETY", "content_filter", "content_filter"],
    ["MALFORMED_FUNCTION_CALL", "error", "error"],
    ["MALFORMED_RESPONSE", "error", "error"],
    ["UNEXPECTED_TOOL_CALL", "error", "error"],
    ["TOO_MANY_TOOL_CALLS", "error", "error"],
    ["stop", "other", "other"],
    ["AN_IMAGE_", "other", "other"],
    ["constructor", "other", "other"],
    ["__proto__", "other", "other"],
  ])("converts %s to %s, with calls to %s", (reason, without, withCalls) => {
    const read = (hasCalls: boolean) => toFinish({ reason, hasCalls, usage: undefined });

    expect(read(false)).toStrictEqual({ type: "finish", finishReason: without, usage });
    expect(read(true)).toStrictEqual({ type: "finish", finishReason: withCalls, usage });
  });

  it.each<[string, object, object]>([
    [
      "all counts",
      {
        promptTokenCount: 1,
        toolUsePromptTokenCount: 20,
        candidatesTokenCount: 300,
        thoughtsTokenCount: 4000,
        totalTokenCount: 50_000,
        cachedContentTokenCount: 6,
        promptTokensDetails: [
          { modality: "TEXT", tokenCount: 7 },
          { modality: "AUDIO", tokenCount: 8 },
        ],
        candidatesTokensDetails: [{ modality: "AUDIO", tokenCount: 9 }, null],
      },
      {
        promptTokens: 21,
        completionTokens: 4300,
        totalTokens: 50_000,
        reasoningTokens: 4000,
        cachedTokens: 6,
        audioInputTokens: 8,
        audioOutputTokens: 9,
      },
    ],
    [
      "no total",
      { promptTokenCount: 1, thoughtsTokenCount: 2 },
      { promptTokens: 1, completionTokens: 2, totalTokens: 3, reasoningTokens: 2 },
    ],
    ["no sound", { promptTokensDetails: [{ modality: "TEXT", tokenCount: 7 }] }, usage],
    ["no counts", { promptTokenCount: "1", promptTokensDetails: "x" }, usage],
  ])("counts %s", (_, given, expected) => {
    expect(toFinish({ reason: "STOP", hasCalls: false, usage: given }).usage).toEqual({
      ...expected,
      providerMetrics: given,
    });
  });
});
