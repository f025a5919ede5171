import type { ModelOptions } from "@troupe/core";
import { TruncatedResponseError, VendorError } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { callOf } from "../../test/model-call.ts";
import { fromResponsesResponse, isCommentary, summaryOf, wordsOf } from "./from-response.ts";

const some = expect.stringMatching(/./) as unknown;
const usage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };

function read(body: object, options: ModelOptions = {}) {
  return fromResponsesResponse({ status: "completed", ...body }, callOf(options).call);
}

function message(text: string, more: object = {}): object {
  return { type: "message", content: [{ text }], ...more };
}

describe("a whole answer of Responses", () => {
  it("has all that its items hold", () => {
    const output = [
      { type: "reasoning", id: "r", summary: [{ text: "H" }], encrypted_content: "e" },
      { type: "reasoning", id: "s", summary: [{ text: "m" }], encrypted_content: "e" },
      { type: "web_search_call", id: "w", action: { sources: [{ url: "https://a.example" }] } },
      message("Yes"),
      message("!", { phase: "commentary" }),
      { type: "function_call", call_id: "c", id: "i", name: "look", arguments: '{"a":1}' },
      { type: "function_call", call_id: "d", name: "look", arguments: '{"a":' },
      { type: "function_call", call_id: "e", name: "" },
    ];
    const counts = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };

    expect(read({ id: "resp", model: "m", usage: counts, output: [...output, null] })).toEqual({
      text: "Yes!",
      thinking: "H\n\nm",
      toolCalls: [
        { id: "c", name: "look", arguments: { a: 1 } },
        { id: "d", name: "look", arguments: {} },
      ],
      malformedArguments: [{ toolCallId: "d", text: '{"a":' }],
      skippedCalls: 1,
      sources: [{ id: some, url: "https://a.example", toolCallId: "w" }],
      usage: { promptTokens: 1, completionTokens: 2, totalTokens: 3, providerMetrics: counts },
      finishReason: "tool_calls",
      responseId: "resp",
      model: "m",
      vendorState: {
        providerId: "openai",
        modelId: "gpt-4.1",
        stored: true,
        items: { outputItems: output },
      },
    });
  });

  it.each([
    ["nothing", {}, "stop"],
    ["no list", { output: "x", id: "", model: 7, usage: null }, "stop"],
    ["no error", { error: null }, "stop"],
    ["not all", { status: "incomplete", incomplete_details: { reason: "content_filter" } }, "content_filter"],
    ["not all, and no reason", { status: "incomplete" }, "other"],
  ])("has only what is there, with %s", (_, body, finishReason) => {
    expect(read(body)).toEqual({ text: "", toolCalls: [], usage, finishReason });
  });

  it("keeps commentary out of JSON", () => {
    const output = [message("A", { phase: "commentary" }), message("{}", { phase: "final_answer" })];

    expect(read({ output }, { responseFormat: "json" })).toMatchObject({ text: "{}", thinking: "A" });
    expect(read({ output }, { responseFormat: "text" })).toMatchObject({ text: "A{}" });
  });

  it.each<[string, object, typeof VendorError | typeof TruncatedResponseError, object]>([
    ["failed", { status: "failed", error: { code: "rate_limit_exceeded" } }, VendorError, { status: 429 }],
    ["failed without a word", { status: "failed" }, VendorError, { status: 500 }],
    ["has an error", { status: "cancelled", error: { message: "No." } }, VendorError, { message: "No." }],
    ["goes on", { status: "in_progress", error: null }, TruncatedResponseError, {}],
    ["has no status", { status: undefined }, TruncatedResponseError, {}],
  ])("is an error when it %s", (_, ...[body, kind, facts]) => {
    expect(() => read(body)).toThrow(kind);
    expect(() => read(body)).toThrow(expect.objectContaining(facts));
  });
});

describe("the words of an item", () => {
  it.each<[unknown, string]>([
    [[{ text: "A" }, { refusal: "B" }, { text: "C", refusal: "D" }, null, { text: 7 }], "ABC"],
    ["A", ""],
    [undefined, ""],
  ])("of %j are %j", (content, words) => {
    expect(wordsOf({ content })).toBe(words);
  });

  it.each<[object, string, string]>([
    [{ summary: [{ text: "A" }, { text: "B" }] }, "A\n\nB", "\n\nA\n\nB"],
    [{ summary: [], content: [{ text: "C" }] }, "C", "C"],
    [{ summary: [{ text: "A" }], content: [{ text: "C" }] }, "A", "\n\nA"],
    [{}, "", ""],
  ])("of reasoning %j are %j, later %j", (item, first, later) => {
    expect([summaryOf(item, false), summaryOf(item, true)]).toEqual([first, later]);
  });

  it("are commentary in that phase, beside JSON", () => {
    expect(isCommentary({ phase: "commentary" }, true)).toBe(true);
    expect(isCommentary({ phase: "commentary" }, false)).toBe(false);
    expect(isCommentary({ phase: "final_answer" }, true)).toBe(false);
  });
});
