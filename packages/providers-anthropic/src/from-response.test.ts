import { TruncatedResponseError, VendorError } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { fromResponse } from "./from-response.ts";

const model = { providerId: "anthropic", modelId: "claude" };
const usage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };

function read(content: unknown, more: object = {}) {
  return fromResponse({ type: "message", content, stop_reason: "end_turn", ...more }, model);
}

describe("a whole answer", () => {
  it("has all that its blocks hold, each in its place", () => {
    const search = { type: "server_tool_use", id: "s", name: "web_search", input: {} };
    const found = { type: "web_search_tool_result", tool_use_id: "s", content: [{ url: "https://a.example" }] };
    const call = { type: "tool_use", id: "t", name: "look", input: { a: 1 } };
    const thinking = [
      { type: "thinking", thinking: "H", signature: "s" },
      { type: "thinking", thinking: "m.", text: "no" },
    ];
    const texts = [
      { type: "text", text: "Ye", thinking: "no" },
      { type: "text", text: "s." },
    ];
    const content = [...thinking, search, found, ...texts, call, { type: "tool_use", id: "u" }, { type: "news" }, "x"];
    const counts = { input_tokens: 1, output_tokens: 2 };

    expect(read(content, { stop_reason: "tool_use", id: "m", model: "claude-1", usage: counts })).toEqual({
      text: "Yes.",
      thinking: "Hm.",
      toolCalls: [{ id: "t", name: "look", arguments: { a: 1 } }],
      skippedCalls: 1,
      sources: [{ id: expect.any(String) as unknown, url: "https://a.example", toolCallId: "s" }],
      usage: { promptTokens: 1, completionTokens: 2, totalTokens: 3, providerMetrics: counts },
      finishReason: "tool_calls",
      responseId: "m",
      model: "claude-1",
      vendorState: {
        ...model,
        stored: true,
        items: [
          ...thinking,
          search,
          found,
          { type: "text", text: "Ye" },
          { type: "text", text: "s." },
          call,
          { type: "tool_use", id: "u" },
        ],
      },
    });
  });

  it.each([
    ["no blocks", [], {}],
    ["names that are no texts", [], { id: 7, model: null }],
    ["an empty id", [], { id: "", model: "" }],
    ["no error", [], { error: null }],
    ["no kind", [], { type: undefined }],
  ])("has only what is there, with %s", (_, content, more) => {
    expect(read(content, more)).toEqual({ text: "", toolCalls: [], usage, finishReason: "stop" });
  });

  it("has arguments of its own, and an id for a call without one", () => {
    const input = { a: 1 };
    const { toolCalls } = read([
      { type: "tool_use", name: "look", input },
      { type: "tool_use", id: "", name: "look", input: [1] },
      { type: "news", id: "n", name: "look" },
    ]);

    expect(toolCalls).toEqual([
      { id: expect.stringMatching(/^toolu_[\da-z]+$/) as unknown, name: "look", arguments: { a: 1 } },
      { id: expect.stringMatching(/^toolu_[\da-z]+$/) as unknown, name: "look", arguments: {} },
    ]);
    expect(toolCalls[0]?.arguments).not.toBe(input);
    expect(toolCalls[0]?.id).not.toBe(toolCalls[1]?.id);
  });
});

describe("an answer that cannot be read", () => {
  it.each([
    ["of the kind error", { type: "error" }, 500],
    ["with an error", { error: { type: "overloaded_error" } }, 529],
    ["with a text for an error", { error: "No." }, 500],
  ])("is the vendor's error when it is one %s", (_, more, status) => {
    const reading = () => read([], more);

    expect(reading).toThrow(VendorError);
    expect(reading).toThrow(expect.objectContaining({ status }));
  });

  it.each<[string, unknown]>([
    ["no object", "Yes."],
    ["no blocks", { stop_reason: "end_turn" }],
    ["an object for its blocks", { content: {}, stop_reason: "end_turn" }],
    ["no reason", { content: [] }],
    ["an empty reason", { content: [], stop_reason: "" }],
    ["a number for a reason", { content: [], stop_reason: 1 }],
  ])("was cut off when it has %s", (_, body) => {
    const reading = () => fromResponse(body, model);

    expect(reading).toThrow(TruncatedResponseError);
    expect(reading).toThrow("sent an answer without its end");
  });
});
