import { TruncatedResponseError, VendorError } from "@troupe/core/provider";
import type { ModelChunk } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { callOf } from "../../test/model-call.ts";
import { ChatEventReader } from "./from-events.ts";

const some = expect.stringMatching(/./) as unknown;
const stop = { choices: [{ finish_reason: "stop" }] };

function say(delta: object, more: object = {}): object {
  return { choices: [{ index: 0, delta }], ...more };
}

function read(events: readonly object[]): ModelChunk[] {
  const reader = new ChatEventReader(callOf().call);
  const chunks: ModelChunk[] = [];
  for (const event of events) reader.read(event, chunks);
  reader.end(chunks);
  return chunks;
}

describe("a streamed answer of Chat Completions", () => {
  it("is told word by word, with all facts at its end", () => {
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
    const events = [
      say({ role: "assistant", content: "" }, { id: "", model: "" }),
      say({ reasoning_content: "H" }, { id: "a", model: "m", usage: { prompt_tokens: 9 } }),
      say({ reasoning_content: "m." }, { id: "b", model: "n", usage: null }),
      say({ content: "Yes", refusal: "!" }),
      { choices: [], usage },
      { choices: [{ index: 0, delta: null, finish_reason: "length" }] },
      { choices: [{ index: 0, finish_reason: null }] },
    ];

    expect(read(events)).toEqual([
      { type: "thinking", text: "H" },
      { type: "thinking", text: "m." },
      { type: "text", text: "Yes!" },
      {
        type: "finish",
        finishReason: "length",
        usage: { promptTokens: 1, completionTokens: 2, totalTokens: 3, providerMetrics: usage },
        responseId: "a",
        model: "m",
        vendorState: {
          providerId: "openai",
          modelId: "gpt-4.1",
          items: { fields: { reasoning_content: "Hm." } },
        },
      },
    ]);
  });

  it("tells thinking before text, and sources before calls, of one event", () => {
    const called = { id: "c", function: { name: "look", arguments: "{}" } };
    const delta = { content: "A", reasoning: "B", citations: ["https://a.example"], tool_calls: [called] };
    const types = read([say(delta), stop]).map(({ type }) => type);

    expect(types).toEqual([
      "thinking",
      "text",
      "source",
      "tool_call_start",
      "tool_call_delta",
      "tool_call_end",
      "finish",
    ]);
  });

  it("ends its calls, lists its sources, and then finishes", () => {
    const named = { index: 0, id: "c", function: { name: "look", arguments: '{"a":' } };
    const events = [
      say({ tool_calls: [named, null, "x"] }, { citations: ["https://old.example"] }),
      say({
        tool_calls: [
          { index: 0, function: { arguments: "1}" } },
          { index: 1, id: "d" },
        ],
      }),
      { ...stop, search_results: [{ url: "https://a.example", title: "A" }], citations: ["https://b.example"] },
      { choices: [] },
    ];

    expect(read(events)).toEqual([
      { type: "tool_call_start", toolCall: { id: "c", name: "look" } },
      { type: "tool_call_delta", toolCallId: "c", argumentsDelta: '{"a":' },
      { type: "tool_call_delta", toolCallId: "c", argumentsDelta: "1}" },
      { type: "tool_call_end", toolCallId: "c" },
      { type: "source", id: some, url: "https://a.example", title: "A" },
      { type: "source", id: some, url: "https://b.example" },
      { type: "finish", finishReason: "tool_calls", skippedCalls: 1 },
    ]);
  });

  it("does not finish with calls when the only one has no name", () => {
    const events = [say({ tool_calls: [{ index: 0, id: "d" }] }), stop];

    expect(read(events)).toEqual([{ type: "finish", finishReason: "stop", skippedCalls: 1 }]);
  });

  it("takes a whole message for its delta, but not beside one", () => {
    const message = { content: "Whole." };

    expect(read([{ choices: [{ message, finish_reason: "stop" }] }])[0]).toEqual({ type: "text", text: "Whole." });
    expect(read([{ choices: [{ message, delta: { content: "Part." } }] }, stop])[0]).toEqual({
      type: "text",
      text: "Part.",
    });
  });

  it("keeps the usage of a server that puts it elsewhere, when a later event has none", () => {
    const [finish] = read([
      { ...stop, x_groq: { usage: { prompt_tokens: 4 } } },
      { choices: [], x_groq: { id: "x" } },
    ]);

    expect(finish).toMatchObject({ usage: { promptTokens: 4 } });
  });
});

describe("the end of a streamed answer", () => {
  it("may come once there is a reason, but never completes the answer", () => {
    const reader = new ChatEventReader(callOf().call);
    const states = [say({ content: "A" }), { choices: [{ finish_reason: "" }] }, stop].map((event) => {
      reader.read(event, []);
      return [reader.isEnding, reader.isComplete];
    });

    expect(states).toEqual([
      [false, false],
      [false, false],
      [true, false],
    ]);
  });

  it("needs a reason", () => {
    const reader = new ChatEventReader(callOf().call);
    const chunks: ModelChunk[] = [];
    reader.read(say({ tool_calls: [{ id: "c", function: { name: "look" } }] }), chunks);

    expect(() => reader.end(chunks)).toThrow(TruncatedResponseError);
    expect(chunks.map(({ type }) => type)).toEqual(["tool_call_start"]);
  });

  it("is an error within an event, whose words are not told", () => {
    const reader = new ChatEventReader(callOf().call);
    const chunks: ModelChunk[] = [];

    expect(() => reader.read(say({ content: "A" }, { error: { message: "No.", code: 429 } }), chunks)).toThrow(
      VendorError,
    );
    expect(chunks).toEqual([]);
  });
});
