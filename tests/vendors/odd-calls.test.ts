import { Agent, createLogger } from "@troupe/core";
import type { RunEvents } from "@troupe/core";
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
  modelThat,
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

  it.each<[dialect: Dialect, skipped: number, answer: Answer]>([
    [
      "Chat",
      2,
      [
        delta({ content: "Hi", tool_calls: [null, { index: 0, id: "a", function: null }, { index: 1, id: "b" }] }),
        chatEnd,
      ],
    ],
    [
      "Chat",
      2,
      {
        whole: {
          choices: [{ message: { content: "Hi", tool_calls: [null, { id: "a" }, { id: "b", function: null }] } }],
        },
      },
    ],
    [
      "Responses",
      1,
      [
        textDelta("Hi"),
        itemAdded(null, 1),
        itemDone(null, 1),
        itemAdded(callItem({ name: null }), 2),
        itemDone(callItem({ name: null }), 2),
        completed(),
      ],
    ],
    ["Responses", 1, { whole: { status: "completed", output: [words("Hi"), callItem({ name: null })] } }],
    [
      "Anthropic",
      1,
      [
        started,
        ...block(null),
        ...block({ type: "tool_use", id: "c1", name: null, input: {} }).map((event) => ({ ...event, index: 2 })),
        { type: "content_block_start", index: 1, content_block: { type: "text", text: "Hi" } },
        ...ended(),
      ],
    ],
    [
      "Anthropic",
      1,
      {
        whole: {
          type: "message",
          stop_reason: "end_turn",
          content: [
            { type: "text", text: "Hi" },
            { type: "tool_use", id: "c1", name: null },
          ],
        },
      },
    ],
    ["Gemini", 2, [parts({ text: "Hi" }, { functionCall: null }, { functionCall: { args: {} } }), geminiEnd]],
    [
      "Ollama",
      3,
      [line({ content: "Hi", tool_calls: [null, { function: null }, {}, { function: { name: null } }] }), ollamaEnd],
    ],
  ])(
    "is skipped with one warning where %s names no function, %i times [model-calls.nameless-call]",
    async (dialect, skippedCalls, answer) => {
      expect(await read(dialect, answer)).toMatchObject({
        text: "Hi",
        toolCalls: [],
        finishReason: "stop",
        skippedCalls,
      });

      const log: string[] = [];
      const logger = createLogger({ level: "warn", write: (lines) => void log.push(lines) });
      const agent = new Agent({ name: "a", model: await modelThat(dialect, answer), logger });
      const warnings: RunEvents["run.warning"][] = [];
      agent.eventBus.on("run.warning", (warning) => void warnings.push(warning));
      const { text } = Array.isArray(answer) ? await agent.stream("Hello?").output : await agent.run("Hello?");

      expect(text).toBe("Hi");
      expect(warnings).toEqual([
        {
          runId: expect.any(String) as unknown,
          code: "call_skipped",
          message: "The model's answer has tool calls that name no tool. They are skipped.",
          fields: { vendor: expect.any(String) as unknown, model: expect.any(String) as unknown, count: skippedCalls },
          logged: true,
        },
      ]);
      expect(log.join("")).toContain("They are skipped.");
    },
  );

  it("with the parts that proxies leave empty is no call that is skipped [model-calls.nameless-call]", async () => {
    const answers: [Dialect, Answer][] = [
      ["Gemini", [parts({ text: "Hi", functionCall: null }, { text: null, functionCall: null }), geminiEnd]],
      ["Chat", [delta({ content: "Hi", tool_calls: null }), delta({ tool_calls: [] }), chatEnd]],
    ];
    for (const [dialect, answer] of answers) expect(await read(dialect, answer)).not.toHaveProperty("skippedCalls");
  });
});
