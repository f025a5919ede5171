import { TruncatedResponseError } from "@troupe/core/provider";
import type { ModelChunk } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { OllamaEventReader } from "./from-events.ts";
import { fromResponse } from "./from-response.ts";
import { replayOf } from "./replay.ts";

const model = { modelId: "m" };
const some = expect.stringMatching(/./) as unknown;
const last = { message: { content: "" }, done: true, done_reason: "stop" };
const usage = { promptTokens: 0, completionTokens: 0, totalTokens: 0, providerMetrics: {} };
const finish = { type: "finish", finishReason: "stop", usage };

function read(lines: readonly object[]): ModelChunk[] {
  const reader = new OllamaEventReader(model);
  const chunks: ModelChunk[] = [];
  for (const line of lines) reader.read(line, chunks);
  return chunks;
}

describe("a streamed answer of Ollama", () => {
  it("is told line by line, with all facts at its end", () => {
    const counts = { prompt_eval_count: 1, eval_count: 2, total_duration: 9 };
    const lines = [
      { model: "m:8b", created_at: "t", message: { thinking: "H" }, done: false },
      { message: { thinking: "m.", content: "Ye" } },
      { message: { content: "s." } },
      { ...last, model: "m:8b", created_at: "t", ...counts },
    ];

    expect(read(lines)).toEqual([
      { type: "thinking", text: "H" },
      { type: "thinking", text: "m." },
      { type: "text", text: "Ye" },
      { type: "text", text: "s." },
      {
        ...finish,
        usage: { promptTokens: 1, completionTokens: 2, totalTokens: 3, providerMetrics: counts },
        model: "m:8b",
        vendorState: { providerId: "ollama", modelId: "m", items: { thinking: "Hm." } },
      },
    ]);
  });

  it("has calls, each whole and under an id of its own", () => {
    const call = (id: unknown, args: unknown) => ({ id, function: { name: "look", arguments: args } });
    const lines = [
      { message: { tool_calls: [call("c", { a: 1 }), call("c", '{"b":2}'), null] } },
      { message: { content: "A", tool_calls: [call(undefined, undefined)] } },
      last,
    ];
    const chunks = read(lines);
    const ids = chunks.flatMap((chunk) => (chunk.type === "tool_call_start" ? [chunk.toolCall.id] : []));

    expect(chunks.slice(0, 3)).toEqual([
      { type: "tool_call_start", toolCall: { id: "c", name: "look" } },
      { type: "tool_call_delta", toolCallId: "c", argumentsDelta: '{"a":1}' },
      { type: "tool_call_end", toolCallId: "c" },
    ]);
    expect(chunks[4]).toEqual({ type: "tool_call_delta", toolCallId: ids[1], argumentsDelta: '{"b":2}' });
    expect(chunks.slice(6)).toEqual([
      { type: "text", text: "A" },
      { type: "tool_call_start", toolCall: { id: some, name: "look" } },
      { type: "tool_call_delta", toolCallId: ids[2], argumentsDelta: "{}" },
      { type: "tool_call_end", toolCallId: ids[2] },
      { ...finish, finishReason: "tool_calls" },
    ]);
    expect(new Set(ids).size).toBe(3);
  });

  it.each([{}, { function: null }, { id: "c", function: { name: "" } }])("skips the call %j", (call) => {
    expect(read([{ message: { tool_calls: [call] } }, last])).toEqual([{ ...finish, skippedCalls: 1 }]);
  });

  it.each<[unknown, string]>([
    ["stop", "stop"],
    [undefined, "stop"],
    ["", "stop"],
    ["length", "length"],
    ["load", "other"],
    ["constructor", "other"],
  ])("finishes for %j with %s", (reason, finishReason) => {
    expect(read([{ ...last, done_reason: reason }])).toEqual([{ ...finish, finishReason }]);
  });

  it("finishes for its limit, also with calls", () => {
    const message = { tool_calls: [{ function: { name: "look" } }] };

    expect(read([{ ...last, message, done_reason: "length" }]).at(-1)).toMatchObject({ finishReason: "length" });
  });

  it("is complete with its last line, and only then", () => {
    const reader = new OllamaEventReader(model);
    const states = [{ message: { content: "A" } }, { done: "true" }, { message: null, done: true }].map((line) => {
      reader.read(line, []);
      return reader.isComplete;
    });

    expect(states).toEqual([false, false, true]);
    expect(() => new OllamaEventReader(model).end()).toThrow(TruncatedResponseError);
  });

  it.each([["no"], [""], [{ message: "no" }]])("is the error %j of a line", (error) => {
    expect(() => read([{ error, ...last }])).toThrow(expect.objectContaining({ name: "Error", hasStatus: false }));
    expect(read([{ ...last, error: null }])).toMatchObject([{ type: "finish" }]);
  });
});

describe("a whole answer", () => {
  it("has the form of a last line", () => {
    const body = { ...last, model: "m:8b", message: { thinking: "Hm.", content: "Yes." } };

    expect(fromResponse(body, model)).toEqual({
      text: "Yes.",
      thinking: "Hm.",
      toolCalls: [],
      finishReason: "stop",
      usage,
      model: "m:8b",
      vendorState: { providerId: "ollama", modelId: "m", items: { thinking: "Hm." } },
    });
  });

  it("was cut off when it is not done", () => {
    expect(() => fromResponse({ message: { content: "Yes." } }, model)).toThrow(TruncatedResponseError);
  });
});

it("a conversation sends its thinking back to the model that thought it alone", () => {
  const vendorState = { providerId: "ollama", modelId: "m", items: { thinking: "Hm." } };
  const message = { role: "assistant" as const, content: "Yes.", vendorState };

  expect(replayOf(message, model)).toEqual({ thinking: "Hm." });
  expect(replayOf(message, { modelId: "n" })).toEqual({});
  expect(replayOf({ role: "assistant", content: "Yes." }, model)).toEqual({});
});
