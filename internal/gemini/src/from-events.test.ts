import { TruncatedResponseError, VendorError } from "@troupe/core/provider";
import type { ModelChunk } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { GeminiEventReader } from "./from-events.ts";
import { fromResponse } from "./from-response.ts";

const model = { providerId: "google", modelId: "gemini" };
const some = expect.stringMatching(/./) as unknown;
const stop = { candidates: [{ finishReason: "STOP" }] };
const usage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };
const finish = { type: "finish", finishReason: "stop", usage };

function say(parts: unknown, more: object = {}): object {
  return { candidates: [{ content: { parts }, ...more }] };
}

function read(events: readonly object[]): ModelChunk[] {
  const reader = new GeminiEventReader(model);
  const chunks: ModelChunk[] = [];
  for (const event of events) reader.read(event, chunks);
  reader.end(chunks);
  return chunks;
}

describe("a streamed answer of Gemini", () => {
  it("is told part by part, with the last facts at its end", () => {
    const counts = { promptTokenCount: 1, candidatesTokenCount: 2, totalTokenCount: 3 };
    const events = [
      {
        ...say([
          { text: "H", thought: true },
          { text: "", thought: true },
        ]),
        responseId: "a",
        modelVersion: "m",
      },
      { ...say([{ text: "m.", thought: true }]), usageMetadata: { promptTokenCount: 1 } },
      {
        ...say([
          { text: "Yes", thought: false },
          { text: ".", thoughtSignature: "S" },
        ]),
        responseId: "b",
      },
      { ...stop, usageMetadata: counts, responseId: "", modelVersion: null },
      { usageMetadata: null },
    ];

    expect(read(events)).toEqual([
      { type: "thinking", text: "H" },
      { type: "thinking", text: "m." },
      { type: "text", text: "Yes" },
      { type: "text", text: "." },
      {
        ...finish,
        usage: { promptTokens: 1, completionTokens: 2, totalTokens: 3, providerMetrics: counts },
        responseId: "b",
        model: "m",
        vendorState: {
          ...model,
          items: [
            { text: "Hm.", thought: true },
            { text: "Yes", thought: false },
            { text: ".", thoughtSignature: "S" },
          ],
        },
      },
    ]);
  });

  it("joins texts that nothing parts, for the next request", () => {
    const call = { functionCall: { id: "c", name: "look" } };
    const parts = [
      { text: "A" },
      { text: "B" },
      call,
      { text: "C" },
      { text: "D", thoughtSignature: "S" },
      { text: "E" },
    ];

    expect(read([...parts.map((part) => say([part])), stop]).at(-1)).toMatchObject({
      vendorState: {
        items: [{ text: "AB" }, call, { text: "C" }, { text: "D", thoughtSignature: "S" }, { text: "E" }],
      },
    });
  });

  it("tells calls whole, each under an id of its own", () => {
    const look = (id?: string) => ({ functionCall: { name: "look", args: { a: 1 }, ...(id !== undefined && { id }) } });
    const chunks = read([say([look("c"), look("c"), look(), { functionCall: { name: "now" } }]), stop]);
    const told = chunks.flatMap((chunk) => (chunk.type === "tool_call_start" ? [chunk.toolCall] : []));
    const fresh = expect.stringMatching(/^call_[\da-z]+$/) as unknown;

    expect(told).toEqual([
      { id: "c", name: "look" },
      { id: fresh, name: "look" },
      { id: fresh, name: "look" },
      { id: fresh, name: "now" },
    ]);
    expect(new Set(told.map(({ id }) => id)).size).toBe(4);
    expect(chunks.slice(0, 3)).toEqual([
      { type: "tool_call_start", toolCall: { id: "c", name: "look" } },
      { type: "tool_call_delta", toolCallId: "c", argumentsDelta: '{"a":1}' },
      { type: "tool_call_end", toolCallId: "c" },
    ]);
    expect(chunks.at(-2)).toEqual({ type: "tool_call_end", toolCallId: told[3]?.id });
    expect(chunks.at(-3)).toMatchObject({ argumentsDelta: "{}" });
    expect(chunks.at(-1)).toMatchObject({ finishReason: "tool_calls" });
  });

  it.each([
    ["without a name", { functionCall: { id: "c", args: {} } }],
    ["with an empty name", { functionCall: { name: "" } }],
    ["that is null", { functionCall: null }],
  ])("skips a call %s", (_, part) => {
    expect(read([say([part, { text: "A" }]), stop])).toEqual([
      { type: "text", text: "A" },
      { ...finish, skippedCalls: 1 },
    ]);
  });

  it("skips no call that is null beside a text", () => {
    expect(read([say([{ text: "A", functionCall: null }, null, "x"]), stop])).toEqual([
      { type: "text", text: "A" },
      finish,
    ]);
  });

  it("tells its sources as they come", () => {
    const grounded = { groundingMetadata: { groundingChunks: [{ web: { uri: "https://a.example", title: "A" } }] } };
    const pages = { urlContextMetadata: { urlMetadata: [{ retrievedUrl: "https://b.example" }] } };

    expect(read([say([{ text: "A" }], grounded), say([], pages), stop])).toEqual([
      { type: "text", text: "A" },
      { type: "source", id: some, url: "https://a.example", title: "A" },
      { type: "source", id: some, url: "https://b.example" },
      finish,
    ]);
  });

  it.each<[string, unknown[], string[]]>([
    [
      "of several",
      [
        { index: 1, content: { parts: [{ text: "B" }] } },
        { index: 0, content: { parts: [{ text: "A" }] } },
      ],
      ["A"],
    ],
    ["without a number", [{ content: { parts: [{ text: "A" }] } }], ["A"]],
    ["that did not come yet", [{ index: 1, content: { parts: [{ text: "B" }] } }], []],
    ["that is no object", [null, { content: { parts: [{ text: "A" }] } }], ["A"]],
  ])("is the first candidate, also %s", (_, candidates, texts) => {
    const told = read([{ candidates }, stop]).flatMap((chunk) => (chunk.type === "text" ? [chunk.text] : []));

    expect(told).toEqual(texts);
  });
});

describe("the end of an answer", () => {
  it.each<[string, object[], string]>([
    ["the last reason", [say([], { finishReason: "MAX_TOKENS" }), say([], { finishReason: "" })], "length"],
    ["a later reason", [say([], { finishReason: "MAX_TOKENS" }), stop], "stop"],
    ["a refusal of the request", [{ promptFeedback: { blockReason: "OTHER" } }], "content_filter"],
    ["a reason behind a refusal", [{ promptFeedback: { blockReason: "OTHER" } }, stop], "stop"],
    ["a reason before a refusal", [stop, { promptFeedback: { blockReason: "OTHER" } }], "stop"],
  ])("has %s", (_, events, finishReason) => {
    expect(read(events)).toEqual([{ ...finish, finishReason }]);
  });

  it("may come once there is a reason", () => {
    const reader = new GeminiEventReader(model);
    const states = [say([{ text: "A" }]), { promptFeedback: { blockReason: "" } }, stop].map((event) => {
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
    expect(() => read([say([{ text: "A" }])])).toThrow(TruncatedResponseError);
  });

  it("is an error within an event", () => {
    expect(() => read([{ ...stop, error: { code: 429, message: "Slow." } }])).toThrow(
      expect.objectContaining({ status: 429, message: "Slow." }),
    );
  });
});

describe("a whole answer", () => {
  it("is read as one event", () => {
    const body = say([{ text: "H", thought: true }, { text: "A" }, { functionCall: { id: "c", name: "look" } }], {
      finishReason: "STOP",
    });

    expect(fromResponse(body, model)).toEqual({
      text: "A",
      thinking: "H",
      toolCalls: [{ id: "c", name: "look", arguments: {} }],
      finishReason: "tool_calls",
      usage,
      vendorState: {
        ...model,
        items: [{ text: "H", thought: true }, { text: "A" }, { functionCall: { id: "c", name: "look" } }],
      },
    });
  });

  it.each<[string, unknown, string]>([
    ["no candidate", { candidates: [] }, "sent an answer without content"],
    ["no object", "A", "sent an answer without content"],
    ["no reason", say([{ text: "A" }]), "ended the stream before its last event"],
  ])("was cut off when it has %s", (_, body, message) => {
    expect(() => fromResponse(body, model)).toThrow(TruncatedResponseError);
    expect(() => fromResponse(body, model)).toThrow(message);
  });

  it("is a refusal with feedback alone, and an error with an error", () => {
    expect(fromResponse({ promptFeedback: { blockReason: "SAFETY" } }, model)).toEqual({
      text: "",
      toolCalls: [],
      finishReason: "content_filter",
      usage,
    });
    expect(() => fromResponse({ error: { message: "No." } }, model)).toThrow(VendorError);
  });
});
