import { describe, expect, it } from "vitest";
import { anthropic, called, chat, gemini, ollama, read, responses } from "./vendor-events.ts";
import type { Answer, Dialect } from "./vendor-events.ts";

describe("a text that is null or missing", () => {
  it.each<[where: string, dialect: Dialect, answer: Answer]>([
    [
      "in a delta of Chat Completions",
      "Chat",
      [chat.delta({ content: null, refusal: null }), chat.delta(null), chat.delta({ content: "Hi" }), chat.end],
    ],
    [
      "in a part of a Chat Completions delta",
      "Chat",
      [chat.delta({ content: [{ type: "text", text: null }, null] }), chat.delta({ content: "Hi" }), chat.end],
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
      [
        responses.textDelta(null),
        responses.textDelta("Hi"),
        { type: "response.reasoning_summary_text.delta", delta: null },
        responses.completed(),
      ],
    ],
    [
      "in an item of a whole Responses answer",
      "Responses",
      {
        whole: {
          status: "completed",
          output: [
            null,
            responses.words(null),
            { ...responses.words("Hi"), id: "m2" },
            { type: "reasoning", summary: null, content: null },
          ],
        },
      },
    ],
    [
      "in a delta of Anthropic",
      "Anthropic",
      [
        anthropic.started,
        ...anthropic.block({ type: "text", text: null }, { type: "text_delta", text: null }, null, {
          type: "text_delta",
          text: "Hi",
        }),
        ...anthropic.ended(),
      ],
    ],
    [
      "at the start of a block of Anthropic",
      "Anthropic",
      [
        anthropic.started,
        ...anthropic.block({ type: "text" }, { type: "text_delta", text: "Hi" }),
        ...anthropic.ended(),
      ],
    ],
    [
      "in a part of Gemini",
      "Gemini",
      [gemini.parts({ text: null }, null, { text: "Hi" }), { candidates: null }, gemini.end],
    ],
    [
      "in a whole answer of Gemini",
      "Gemini",
      { whole: { candidates: [{ content: { parts: [{ text: null }, { text: "Hi" }] }, finishReason: "STOP" }] } },
    ],
    [
      "in a line of Ollama",
      "Ollama",
      [
        ollama.line({ content: null, thinking: null }),
        ollama.line(null),
        ollama.line({ content: "Hi", tool_calls: null }),
        ollama.end,
      ],
    ],
  ])("is an empty text %s [model-calls.absent-fields]", async (_where, dialect, answer) => {
    expect(await read(dialect, answer)).toMatchObject({ text: "Hi", toolCalls: [], finishReason: "stop" });
  });

  it("begins the thinking and the signature of a block of Anthropic as empty [model-calls.absent-fields]", async () => {
    const thinking = anthropic.block(
      { type: "thinking" },
      { type: "thinking_delta", thinking: "Hm." },
      { type: "signature_delta", signature: "signed" },
    );
    const response = await read("Anthropic", [anthropic.started, ...thinking, ...anthropic.ended()]);

    expect(response.thinking).toBe("Hm.");
    expect(JSON.stringify(response.vendorState)).toContain('"signature":"signed"');
    expect(JSON.stringify(response)).not.toMatch(/undefined|null/);
  });
});

describe("text that only a later event of Responses has", () => {
  it.each<[where: string, events: object[]]>([
    [
      "the item that is done",
      [responses.itemAdded(responses.words("")), responses.itemDone(responses.words("Hi there"))],
    ],
    [
      "the item that is done, after its first piece",
      [
        responses.itemAdded(responses.words("")),
        responses.textDelta("Hi"),
        responses.itemDone(responses.words("Hi there")),
      ],
    ],
    ["the last event", []],
    ["the last event, after its first piece", [responses.itemAdded(responses.words("")), responses.textDelta("Hi")]],
  ])("is read from %s [model-calls.late-pieces]", async (_where, events) => {
    const response = await read("Responses", [
      ...events,
      responses.completed({ output: [responses.words("Hi there")] }),
    ]);

    expect(response.text).toBe("Hi there");
  });

  it("is followed by the calls and the reasoning that only the last event has [model-calls.late-pieces]", async () => {
    const output = [
      { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Hm." }], encrypted_content: "sealed" },
      responses.callItem(),
    ];
    const response = await read("Responses", [responses.completed({ output })]);

    expect(called(response)).toEqual([["look", { at: 1 }]]);
    expect(response).toMatchObject({ thinking: "Hm.", finishReason: "tool_calls" });
    expect(JSON.stringify(response.vendorState)).toContain("sealed");
  });
});
