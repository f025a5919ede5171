import { describe, expect, it } from "vitest";
import {
  block,
  callItem,
  called,
  chatEnd,
  completed,
  delta,
  ended,
  geminiEnd,
  itemAdded,
  itemDone,
  line,
  ollamaEnd,
  parts,
  read,
  started,
  textDelta,
  words,
} from "./vendor-events.ts";
import type { Answer, Dialect } from "./vendor-events.ts";

describe("a text that is null or missing", () => {
  it.each<[where: string, dialect: Dialect, answer: Answer]>([
    [
      "in a delta of Chat Completions",
      "Chat",
      [delta({ content: null, refusal: null }), delta(null), delta({ content: "Hi" }), chatEnd],
    ],
    [
      "in a part of a Chat Completions delta",
      "Chat",
      [delta({ content: [{ type: "text", text: null }, null] }), delta({ content: "Hi" }), chatEnd],
    ],
    [
      "in a whole Chat Completions answer",
      "Chat",
      {
        whole: {
          choices: [
            { message: { content: [null, { type: "text", text: "Hi" }], tool_calls: null }, finish_reason: null },
          ],
        },
      },
    ],
    [
      "in a delta of Responses",
      "Responses",
      [textDelta(null), textDelta("Hi"), { type: "response.reasoning_summary_text.delta", delta: null }, completed()],
    ],
    [
      "in an item of a whole Responses answer",
      "Responses",
      {
        whole: {
          status: "completed",
          output: [
            null,
            words(null),
            { ...words("Hi"), id: "m2" },
            { type: "reasoning", summary: null, content: null },
          ],
        },
      },
    ],
    [
      "in a delta of Anthropic",
      "Anthropic",
      [
        started,
        ...block({ type: "text", text: null }, { type: "text_delta", text: null }, null, {
          type: "text_delta",
          text: "Hi",
        }),
        ...ended(),
      ],
    ],
    [
      "at the start of a block of Anthropic",
      "Anthropic",
      [started, ...block({ type: "text" }, { type: "text_delta", text: "Hi" }), ...ended()],
    ],
    ["in a part of Gemini", "Gemini", [parts({ text: null }, null, { text: "Hi" }), { candidates: null }, geminiEnd]],
    [
      "in a whole answer of Gemini",
      "Gemini",
      { whole: { candidates: [{ content: { parts: [{ text: null }, { text: "Hi" }] }, finishReason: "STOP" }] } },
    ],
    [
      "in a line of Ollama",
      "Ollama",
      [line({ content: null, thinking: null }), line(null), line({ content: "Hi", tool_calls: null }), ollamaEnd],
    ],
  ])("is an empty text %s [model-calls.absent-fields]", async (_where, dialect, answer) => {
    expect(await read(dialect, answer)).toMatchObject({ text: "Hi", toolCalls: [], finishReason: "stop" });
  });

  it("begins the thinking and the signature of a block of Anthropic as empty [model-calls.absent-fields]", async () => {
    const thinking = block(
      { type: "thinking" },
      { type: "thinking_delta", thinking: "Hm." },
      { type: "signature_delta", signature: "signed" },
    );
    const response = await read("Anthropic", [started, ...thinking, ...ended()]);

    expect(response.thinking).toBe("Hm.");
    expect(JSON.stringify(response.vendorState)).toContain('"signature":"signed"');
    expect(JSON.stringify(response)).not.toMatch(/undefined|null/);
  });
});

describe("text that only a later event of Responses has", () => {
  it.each<[where: string, events: object[]]>([
    ["the item that is done", [itemAdded(words("")), itemDone(words("Hi there"))]],
    [
      "the item that is done, after its first piece",
      [itemAdded(words("")), textDelta("Hi"), itemDone(words("Hi there"))],
    ],
    ["the last event", []],
    ["the last event, after its first piece", [itemAdded(words("")), textDelta("Hi")]],
  ])("is read from %s [model-calls.late-pieces]", async (_where, events) => {
    const response = await read("Responses", [...events, completed({ output: [words("Hi there")] })]);

    expect(response.text).toBe("Hi there");
  });

  it("is followed by the calls and the reasoning that only the last event has [model-calls.late-pieces]", async () => {
    const output = [
      { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Hm." }], encrypted_content: "sealed" },
      callItem(),
    ];
    const response = await read("Responses", [completed({ output })]);

    expect(called(response)).toEqual([["look", { at: 1 }]]);
    expect(response).toMatchObject({ thinking: "Hm.", finishReason: "tool_calls" });
    expect(JSON.stringify(response.vendorState)).toContain("sealed");
  });
});
