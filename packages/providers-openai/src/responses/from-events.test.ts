import type { ModelOptions } from "@troupe/core";
import { TruncatedResponseError } from "@troupe/core/provider";
import type { ModelChunk } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { callOf } from "../../test/model-call.ts";
import { ResponsesEventReader } from "./from-events.ts";

const some = expect.stringMatching(/./) as unknown;
const finish = { type: "finish", finishReason: "stop" };
const json: ModelOptions = { responseFormat: "json" };

function read(events: readonly object[], options: ModelOptions = {}): ModelChunk[] {
  const reader = new ResponsesEventReader(callOf(options).call);
  const chunks: ModelChunk[] = [];
  for (const event of events) reader.read(event, chunks);
  return chunks;
}

function added(index: number, item: object): object {
  return { type: "response.output_item.added", output_index: index, item };
}

function done(index: number, item: object): object {
  return { type: "response.output_item.done", output_index: index, item };
}

function said(index: number, delta: unknown, kind = "output_text"): object {
  return { type: `response.${kind}.delta`, output_index: index, delta };
}

function completed(response: object = {}): object {
  return { type: "response.completed", response };
}

function message(text: string, more: object = {}): object {
  return { type: "message", content: [{ type: "output_text", text }], ...more };
}

describe("the words of a streamed answer of Responses", () => {
  it.each<[string, object[], object[]]>([
    [
      "come in deltas",
      [said(0, "A"), said(0, ""), said(0, 7), said(0, "B")],
      [
        ["text", "A"],
        ["text", "B"],
      ],
    ],
    ["may be a refusal", [said(0, "No.", "refusal")], [["text", "No."]]],
    ["may be a summary", [said(0, "Hm.", "reasoning_summary_text")], [["thinking", "Hm."]]],
    ["may be open reasoning", [said(0, "Hm.", "reasoning_text")], [["thinking", "Hm."]]],
    [
      "are ended by their item",
      [said(0, "A"), done(0, message("AB"))],
      [
        ["text", "A"],
        ["text", "B"],
      ],
    ],
    ["are not told twice", [said(0, "A"), done(0, message("A")), done(0, message("AB"))], [["text", "A"]]],
    ["are not taken back", [said(0, "A"), done(0, message("B"))], [["text", "A"]]],
    [
      "may come with their item alone",
      [done(0, message("A")), done(1, message("B"))],
      [
        ["text", "A"],
        ["text", "B"],
      ],
    ],
    ["belong to no item", [{ type: "response.output_item.done", output_index: 0 }], []],
    [
      "may come with the end",
      [said(0, "A"), completed({ output: [message("AB")] })],
      [
        ["text", "A"],
        ["text", "B"],
      ],
    ],
    ["are in no unknown event", [said(0, "A", "news"), { type: "constructor" }, { delta: "A" }], []],
  ])("%s", (_, events, expected) => {
    const told = read(events).flatMap((chunk) => ("text" in chunk ? [[chunk.type, chunk.text]] : []));

    expect(told).toEqual(expected);
  });

  it("parts summaries, and the second item's", () => {
    const part = { type: "response.reasoning_summary_part.added", output_index: 0 };
    const reasoning = { type: "reasoning", summary: [{ text: "B" }, { text: "C" }] };
    const events = [part, said(0, "A", "reasoning_summary_text"), part, done(0, reasoning), done(1, reasoning)];

    expect(read(events)).toEqual([
      { type: "thinking", text: "A" },
      { type: "thinking", text: "\n\n" },
      { type: "thinking", text: "\n\nB\n\nC" },
    ]);
  });

  it.each([
    ["text", {}, "text"],
    ["JSON", json, "thinking"],
  ] as const)("are commentary beside an answer of %s", (_, options, type) => {
    const phase = "commentary";
    const events = [added(0, message("", { phase })), said(0, "A"), done(0, message("AB", { phase }))];

    expect(read([...events, done(1, message("C", { phase })), said(2, "{}")], options)).toEqual([
      { type, text: "A" },
      { type, text: "B" },
      { type, text: "C" },
      { type: "text", text: "{}" },
    ]);
  });
});

describe("the items of a streamed answer", () => {
  const call = { type: "function_call", id: "i", call_id: "c", name: "look", arguments: "" };

  it("are found by their index, or by their id", () => {
    const events = [
      { type: "response.output_item.added", item: call },
      { type: "response.output_item.added", item: { ...call, id: "j", call_id: "d" } },
      { type: "response.function_call_arguments.delta", item_id: "j", delta: '{"a":1}' },
      { type: "response.function_call_arguments.delta", item_id: "i", delta: "{}" },
      { type: "response.output_item.done", item: { ...call, id: "j", call_id: "d", arguments: '{"a":1}' } },
      { type: "response.output_item.done", item: { ...call, arguments: "{}" } },
    ];

    expect(read(events)).toEqual([
      { type: "tool_call_start", toolCall: { id: "c", name: "look" } },
      { type: "tool_call_start", toolCall: { id: "d", name: "look" } },
      { type: "tool_call_delta", toolCallId: "d", argumentsDelta: '{"a":1}' },
      { type: "tool_call_delta", toolCallId: "c", argumentsDelta: "{}" },
      { type: "tool_call_end", toolCallId: "d" },
      { type: "tool_call_end", toolCallId: "c" },
    ]);
  });

  it("have sources, once they are done", () => {
    const search = { type: "web_search_call", id: "w", action: { sources: [{ url: "https://a.example" }] } };

    expect(read([added(0, search), done(0, search), done(0, search)])).toEqual([
      { type: "source", id: some, url: "https://a.example", toolCallId: "w" },
    ]);
  });

  it("come with the end where no event had them, and go back as they were when they were done", () => {
    const reasoning = { type: "reasoning", id: "r", summary: [], encrypted_content: "whole" };
    const events = [
      added(0, { ...reasoning, encrypted_content: "half" }),
      done(0, reasoning),
      added(1, call),
      completed({
        id: "resp",
        model: "m",
        usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
        output: [{ ...reasoning, encrypted_content: "other" }, { ...call, arguments: "{}" }, message("A")],
      }),
    ];

    expect(read(events)).toEqual([
      { type: "tool_call_start", toolCall: { id: "c", name: "look" } },
      { type: "tool_call_delta", toolCallId: "c", argumentsDelta: "{}" },
      { type: "tool_call_end", toolCallId: "c" },
      { type: "text", text: "A" },
      {
        type: "finish",
        finishReason: "tool_calls",
        usage: {
          promptTokens: 1,
          completionTokens: 2,
          totalTokens: 3,
          providerMetrics: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
        },
        responseId: "resp",
        model: "m",
        vendorState: {
          providerId: "openai",
          modelId: "gpt-4.1",
          items: { outputItems: [reasoning, { ...call, arguments: "{}" }, message("A")] },
        },
      },
    ]);
  });

  it.each([
    ["no id", {}],
    ["an empty id", { id: "" }],
  ])("come with the end where no event had them, also with %s as the items before them", (_, ids) => {
    const items = ["A", "B", "C"].map((text) => message(text, ids));
    const words = (chunks: readonly ModelChunk[]) => chunks.map((chunk) => ("text" in chunk ? chunk.text : chunk.type));

    expect(words(read([done(0, message("A", ids)), completed({ output: items })]))).toEqual(["A", "B", "C", "finish"]);
  });

  it("are skipped as calls without a name, and ended when nothing did", () => {
    const nameless = { ...call, call_id: "d", name: "" };
    const chunks = read([added(0, call), added(1, nameless), done(1, nameless), completed()]);

    expect(chunks).toEqual([
      { type: "tool_call_start", toolCall: { id: "c", name: "look" } },
      { type: "tool_call_end", toolCallId: "c" },
      {
        type: "finish",
        finishReason: "tool_calls",
        skippedCalls: 1,
        vendorState: { providerId: "openai", modelId: "gpt-4.1", items: { outputItems: [nameless] } },
      },
    ]);
  });
});

describe("the end of a streamed answer", () => {
  it("completes it", () => {
    const reader = new ResponsesEventReader(callOf().call);
    const chunks: ModelChunk[] = [];
    const states = [said(0, "A"), completed()].map((event) => {
      reader.read(event, chunks);
      return reader.isComplete;
    });

    expect(states).toEqual([false, true]);
    expect(chunks.slice(1)).toEqual([finish]);
  });

  it("may say that the answer is incomplete", () => {
    const response = { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };

    expect(read([{ type: "response.incomplete", response }])).toEqual([{ ...finish, finishReason: "length" }]);
  });

  it("is missing when the events end", () => {
    expect(() => new ResponsesEventReader(callOf().call).end()).toThrow(TruncatedResponseError);
  });

  const error = { code: "rate_limit_exceeded", message: "Slow." };

  it.each<[string, object]>([
    ["of the answer", { type: "response.failed", response: { error } }],
    ["flat", { type: "error", ...error }],
    ["nested", { type: "error", error }],
    ["without a type", { error }],
  ])("may be an error %s", (_, event) => {
    const facts = { status: 429, message: "Slow.", vendorCode: "rate_limit_exceeded" };

    expect(() => read([event])).toThrow(expect.objectContaining(facts));
  });
});
