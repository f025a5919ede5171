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

describe("a tool call", () => {
  it.each<[what: string, dialect: Dialect, sent: { answer: Answer; args: object }]>([
    [
      "with arguments that are null, in Responses",
      "Responses",
      {
        answer: [itemAdded(callItem({ arguments: null })), itemDone(callItem({ arguments: null })), completed()],
        args: {},
      },
    ],
    [
      "with arguments only in the item that is done, in Responses",
      "Responses",
      { answer: [itemAdded(callItem({ arguments: null })), itemDone(callItem()), completed()], args: { at: 1 } },
    ],
    [
      "with arguments that are null, in a whole Responses answer",
      "Responses",
      { answer: { whole: { status: "completed", output: [callItem({ arguments: null })] } }, args: {} },
    ],
    [
      "with pieces of arguments that are null, in Anthropic",
      "Anthropic",
      {
        answer: [
          started,
          ...block(
            { type: "tool_use", id: "c1", name: "look", input: null },
            { type: "input_json_delta", partial_json: null },
          ),
          ...ended(),
        ],
        args: {},
      },
    ],
    [
      "with args that are null, in Gemini",
      "Gemini",
      { answer: [parts({ functionCall: { id: null, name: "look", args: null }, text: null }), geminiEnd], args: {} },
    ],
    [
      "with partialArgs that are null, in Gemini",
      "Gemini",
      {
        answer: [
          parts({ functionCall: { name: "look", args: { at: 1 }, partialArgs: null, willContinue: null } }),
          geminiEnd,
        ],
        args: { at: 1 },
      },
    ],
    [
      "with arguments that are null, in Ollama",
      "Ollama",
      {
        answer: [line({ tool_calls: [{ id: null, function: { name: "look", arguments: null } }] }), ollamaEnd],
        args: {},
      },
    ],
    [
      "with arguments as text, in Ollama",
      "Ollama",
      {
        answer: [line({ tool_calls: [{ function: { name: "look", arguments: '{"at":1}' } }] }), ollamaEnd],
        args: { at: 1 },
      },
    ],
    [
      "with arguments that are null, in Chat Completions",
      "Chat",
      {
        answer: [delta({ tool_calls: [{ index: 0, id: 7, function: { name: "look", arguments: null } }] }), chatEnd],
        args: {},
      },
    ],
  ])("is read %s [model-calls.absent-fields]", async (_what, dialect, { answer, args }) => {
    expect(called(await read(dialect, answer))).toEqual([["look", args]]);
  });

  it.each<[dialect: Dialect, answer: Answer]>([
    [
      "Chat",
      [
        delta({ content: "Hi", tool_calls: [null, { index: 0, id: "a", function: null }, { index: 1, id: "b" }] }),
        chatEnd,
      ],
    ],
    [
      "Chat",
      {
        whole: {
          choices: [{ message: { content: "Hi", tool_calls: [null, { id: "a" }, { id: "b", function: null }] } }],
        },
      },
    ],
    [
      "Responses",
      [
        textDelta("Hi"),
        itemAdded(null, 1),
        itemDone(null, 1),
        itemAdded(callItem({ name: null }), 2),
        itemDone(callItem({ name: null }), 2),
        completed(),
      ],
    ],
    ["Responses", { whole: { status: "completed", output: [words("Hi"), callItem({ name: null })] } }],
    [
      "Anthropic",
      [
        started,
        ...block(null),
        ...block({ type: "tool_use", id: "c1", name: null, input: {} }),
        { type: "content_block_start", index: 1, content_block: { type: "text", text: "Hi" } },
        ...ended(),
      ],
    ],
    ["Gemini", [parts({ text: "Hi" }, { functionCall: null }, { functionCall: { args: {} } }), geminiEnd]],
    [
      "Ollama",
      [line({ content: "Hi", tool_calls: [null, { function: null }, {}, { function: { name: null } }] }), ollamaEnd],
    ],
  ])("is skipped where %s names no function [model-calls.nameless-call]", async (dialect, answer) => {
    expect(await read(dialect, answer)).toMatchObject({ text: "Hi", toolCalls: [], finishReason: "stop" });
  });
});
