import { TruncatedResponseError, VendorError } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { callOf } from "../../test/model-call.ts";
import { fromChatResponse } from "./from-response.ts";

const some = expect.stringMatching(/./) as unknown;
const usage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };

function read(message: unknown, choice: object = {}, more: object = {}) {
  return fromChatResponse({ choices: [{ message, ...choice }], ...more }, callOf().call);
}

describe("a whole answer of Chat Completions", () => {
  it("has all that the message and the answer hold", () => {
    const message = {
      content: [{ type: "text", text: "Yes" }],
      refusal: "!",
      reasoning: "Hm.",
      citations: ["https://a.example"],
      tool_calls: [
        { id: "c", function: { name: "look", arguments: '{"a":1}' } },
        { id: "d", function: { name: "look", arguments: '{"a":' } },
        { id: "e", function: { name: "", arguments: "{}" } },
        null,
      ],
    };
    const counts = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
    const more = { id: "r", model: "m", usage: counts, citations: ["https://b.example"] };

    expect(read(message, { finish_reason: "stop" }, more)).toEqual({
      text: "Yes!",
      thinking: "Hm.",
      toolCalls: [
        { id: "c", name: "look", arguments: { a: 1 } },
        { id: "d", name: "look", arguments: {} },
      ],
      malformedArguments: [{ toolCallId: "d", text: '{"a":' }],
      skippedCalls: 1,
      sources: [
        { id: some, url: "https://a.example" },
        { id: some, url: "https://b.example" },
      ],
      usage: { promptTokens: 1, completionTokens: 2, totalTokens: 3, providerMetrics: counts },
      finishReason: "tool_calls",
      responseId: "r",
      model: "m",
      vendorState: { providerId: "openai", modelId: "gpt-4.1", items: { fields: { reasoning: "Hm." } } },
    });
  });

  it.each<[string, object, object, string]>([
    ["nothing", {}, {}, "stop"],
    ["null in every place", { content: null, refusal: null, tool_calls: null }, { finish_reason: null }, "stop"],
    ["an unknown reason", {}, { finish_reason: "eos" }, "other"],
    ["calls without a name alone", { tool_calls: [] }, { finish_reason: "tool_calls" }, "other"],
  ])("has only what is there, with %s", (_, ...[message, choice, finishReason]) => {
    expect(read(message, choice)).toEqual({ text: "", toolCalls: [], usage, finishReason });
  });

  it("has one call alone, and skips one alone", () => {
    const named = { id: "c", function: { name: "look", arguments: "" } };

    expect(read({ tool_calls: [named] }, { finish_reason: "stop" })).toMatchObject({ finishReason: "tool_calls" });
    expect(read({ tool_calls: [{ id: "c" }] }, { finish_reason: "stop" })).toEqual({
      text: "",
      toolCalls: [],
      skippedCalls: 1,
      usage,
      finishReason: "stop",
    });
  });

  it("gives calls ids of their own: those that have none, or that of another", () => {
    const looked = (id: unknown) => ({ id, function: { name: "look", arguments: { a: id } } });
    const { toolCalls } = read({ tool_calls: [looked("c"), looked("c"), looked(7), looked(""), looked(null)] });
    const fresh = expect.stringMatching(/^call_./) as unknown;

    expect(toolCalls.map(({ id }) => id)).toEqual(["c", fresh, "7", fresh, fresh]);
    expect(new Set(toolCalls.map(({ id }) => id)).size).toBe(5);
    expect(toolCalls[0]?.arguments).toEqual({ a: "c" });
  });
});

describe("an answer that cannot be read", () => {
  it.each<[string, unknown]>([
    ["no choice", { choices: [] }],
    ["no message", { choices: [{ finish_reason: "stop" }] }],
    ["null for a message", { choices: [{ message: null }] }],
    ["no object", "Yes."],
  ])("was cut off when it has %s", (_, body) => {
    const reading = () => fromChatResponse(body, callOf().call);

    expect(reading).toThrow(TruncatedResponseError);
    expect(reading).toThrow("sent an answer without content");
  });

  it("is the error that it holds", () => {
    expect(() => read({ content: "Yes." }, {}, { error: { message: "No." } })).toThrow(VendorError);
  });
});
