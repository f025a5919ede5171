import { Agent, createLogger } from "@troupe/core";
import type { RunEvents } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { anthropic, called, chat, gemini, modelThat, ollama, read, responses } from "./vendor-events.ts";
import type { Answer, Dialect } from "./vendor-events.ts";

describe("a tool call", () => {
  it.each<[what: string, dialect: Dialect, sent: { answer: Answer; args: object }]>([
    [
      "with arguments that are null, in Responses",
      "Responses",
      {
        answer: [
          responses.itemAdded(responses.callItem({ arguments: null })),
          responses.itemDone(responses.callItem({ arguments: null })),
          responses.completed(),
        ],
        args: {},
      },
    ],
    [
      "with arguments only in the item that is done, in Responses",
      "Responses",
      {
        answer: [
          responses.itemAdded(responses.callItem({ arguments: null })),
          responses.itemDone(responses.callItem()),
          responses.completed(),
        ],
        args: { at: 1 },
      },
    ],
    [
      "with arguments that are null, in a whole Responses answer",
      "Responses",
      { answer: { whole: { status: "completed", output: [responses.callItem({ arguments: null })] } }, args: {} },
    ],
    [
      "with pieces of arguments that are null, in Anthropic",
      "Anthropic",
      {
        answer: [
          anthropic.started,
          ...anthropic.block(
            { type: "tool_use", id: "c1", name: "look", input: null },
            { type: "input_json_delta", partial_json: null },
          ),
          ...anthropic.ended(),
        ],
        args: {},
      },
    ],
    [
      "with args that are null, in Gemini",
      "Gemini",
      {
        answer: [gemini.parts({ functionCall: { id: null, name: "look", args: null }, text: null }), gemini.end],
        args: {},
      },
    ],
    [
      "with partialArgs that are null, in Gemini",
      "Gemini",
      {
        answer: [
          gemini.parts({ functionCall: { name: "look", args: { at: 1 }, partialArgs: null, willContinue: null } }),
          gemini.end,
        ],
        args: { at: 1 },
      },
    ],
    [
      "with arguments that are null, in Ollama",
      "Ollama",
      {
        answer: [ollama.line({ tool_calls: [{ id: null, function: { name: "look", arguments: null } }] }), ollama.end],
        args: {},
      },
    ],
    [
      "with arguments as text, in Ollama",
      "Ollama",
      {
        answer: [ollama.line({ tool_calls: [{ function: { name: "look", arguments: '{"at":1}' } }] }), ollama.end],
        args: { at: 1 },
      },
    ],
    [
      "with arguments that are null, in Chat Completions",
      "Chat",
      {
        answer: [
          chat.delta({ tool_calls: [{ index: 0, id: 7, function: { name: "look", arguments: null } }] }),
          chat.end,
        ],
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
        chat.delta({ content: "Hi", tool_calls: [null, { index: 0, id: "a", function: null }, { index: 1, id: "b" }] }),
        chat.end,
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
      2,
      [
        responses.textDelta("Hi"),
        responses.itemAdded(null, 1),
        responses.itemDone(null, 1),
        ...[2, 3].flatMap((index) => [
          responses.itemAdded(responses.callItem({ name: null }), index),
          responses.itemDone(responses.callItem({ name: null }), index),
        ]),
        responses.completed(),
      ],
    ],
    [
      "Responses",
      2,
      {
        whole: {
          status: "completed",
          output: [responses.words("Hi"), responses.callItem({ name: null }), responses.callItem({ name: "" })],
        },
      },
    ],
    [
      "Anthropic",
      2,
      [
        anthropic.started,
        ...anthropic.block(null),
        ...[2, 3].flatMap((index) =>
          anthropic.block({ type: "tool_use", id: "c1", name: null, input: {} }).map((event) => ({ ...event, index })),
        ),
        { type: "content_block_start", index: 1, content_block: { type: "text", text: "Hi" } },
        ...anthropic.ended(),
      ],
    ],
    [
      "Anthropic",
      2,
      {
        whole: {
          type: "message",
          stop_reason: "end_turn",
          content: [
            { type: "text", text: "Hi" },
            { type: "tool_use", id: "c1", name: null },
            { type: "tool_use", id: "c2" },
          ],
        },
      },
    ],
    ["Gemini", 2, [gemini.parts({ text: "Hi" }, { functionCall: null }, { functionCall: { args: {} } }), gemini.end]],
    [
      "Ollama",
      3,
      [
        ollama.line({ content: "Hi", tool_calls: [null, { function: null }, {}, { function: { name: null } }] }),
        ollama.end,
      ],
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
          sessionId: expect.any(String) as unknown,
          code: "call_skipped",
          message: "The model's answer has tool calls that name no tool. They are skipped.",
          fields: { vendor: expect.any(String) as unknown, model: expect.any(String) as unknown, count: skippedCalls },
          logged: true,
        },
      ]);
      expect(log.join("")).toContain("They are skipped.");
    },
  );

  it("a tool call with the parts that proxies leave empty is no call that is skipped [model-calls.nameless-call]", async () => {
    const answers: [Dialect, Answer][] = [
      ["Gemini", [gemini.parts({ text: "Hi", functionCall: null }, { text: null, functionCall: null }), gemini.end]],
      ["Chat", [chat.delta({ content: "Hi", tool_calls: null }), chat.delta({ tool_calls: [] }), chat.end]],
    ];
    for (const [dialect, answer] of answers) expect(await read(dialect, answer)).not.toHaveProperty("skippedCalls");
  });
});
