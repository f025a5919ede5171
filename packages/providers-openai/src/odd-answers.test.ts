import type { ModelChunk } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { modelOf, question, startVendor, streamOf, wholeOf } from "../test/ask.ts";

type Pieces = readonly object[];

describe("a stream of Chat Completions from a server that has its own ways", () => {
  const delta = (fields: object, finishReason?: string) => ({
    choices: [{ delta: fields, finish_reason: finishReason }],
  });
  const call = (fields: object) => delta({ tool_calls: [fields] });
  const end = delta({}, "stop");

  it.each<[what: string, pieces: Pieces, calls: [name: string, args: object][]]>([
    [
      "the same index for all calls",
      [
        call({ index: 0, id: "a", function: { name: "f", arguments: '{"x":1}' } }),
        call({ index: 0, id: "b", function: { name: "g", arguments: '{"y":2}' } }),
      ],
      [
        ["f", { x: 1 }],
        ["g", { y: 2 }],
      ],
    ],
    [
      "no index, and the id in every piece",
      [
        call({ id: "a", function: { name: "f", arguments: '{"x"' } }),
        call({ id: "b", function: { name: "g", arguments: "" } }),
        call({ id: "a", function: { arguments: ":1}" } }),
      ],
      [
        ["f", { x: 1 }],
        ["g", {}],
      ],
    ],
    [
      "neither index nor id",
      [
        call({ function: { name: "f", arguments: '{"x"' } }),
        call({ function: { arguments: ":1}" } }),
        call({ function: { name: "g" } }),
      ],
      [
        ["f", { x: 1 }],
        ["g", {}],
      ],
    ],
    [
      "an index that begins at 1, and the name once more",
      [
        call({ index: 1, id: "a", function: { name: "f", arguments: "" } }),
        call({ index: 1, id: "a", function: { name: "f", arguments: '{"x":1}' } }),
      ],
      [["f", { x: 1 }]],
    ],
    [
      "one id for two calls",
      [
        call({ index: 0, id: "a", function: { name: "f", arguments: "{}" } }),
        call({ index: 1, id: "a", function: { name: "g", arguments: "{}" } }),
      ],
      [
        ["f", {}],
        ["g", {}],
      ],
    ],
    [
      "arguments that are an object",
      [call({ index: 0, id: "a", function: { name: "f", arguments: { x: 1 } } })],
      [["f", { x: 1 }]],
    ],
    [
      "arguments before the name",
      [
        call({ index: 0, id: "a", function: { arguments: '{"x"' } }),
        call({ index: 0, function: { name: "f", arguments: ":1}" } }),
      ],
      [["f", { x: 1 }]],
    ],
    ["a call without a name", [call({ index: 0, id: "a", function: { arguments: "{}" } })], []],
  ])("keeps its calls apart: %s", async (_what, pieces, calls) => {
    const { toolCalls, finishReason } = await streamOf([...pieces, end, "[DONE]"], "chat");

    expect(toolCalls.map(({ name, arguments: args }) => [name, args])).toEqual(calls);
    expect(new Set(toolCalls.map(({ id }) => id)).size).toBe(calls.length);
    expect(finishReason).toBe(calls.length > 0 ? "tool_calls" : "stop");
  });

  it("gives its text in whatever form it stands", async () => {
    const pieces = [
      { choices: [], prompt_filter_results: [] },
      delta({ content: [{ type: "text", text: "A" }, { type: "reference" }] }),
      delta({ content: "B", refusal: "C" }),
      { choices: [{ message: { content: "D" }, finish_reason: "eos" }] },
      "[DONE]",
    ];

    expect(await streamOf(pieces, "chat")).toMatchObject({ text: "ABCD", finishReason: "other" });
  });

  it("says its price in whatever place, and the last word counts", async () => {
    const counts = (prompt: number) => ({ prompt_tokens: prompt, completion_tokens: 1 });
    const spread = [{ ...delta({}, "stop"), usage: counts(1) }, { choices: [], usage: counts(2) }, { usage: null }];
    const groq = [{ ...end, x_groq: { usage: counts(3) } }];
    const cached = [{ ...end, usage: { ...counts(4), prompt_cache_hit_tokens: 2 } }];

    expect((await streamOf(spread, "chat")).usage).toMatchObject({ promptTokens: 2, totalTokens: 3 });
    expect((await streamOf(groq, "chat")).usage).toMatchObject({ promptTokens: 3, totalTokens: 4 });
    expect((await streamOf(cached, "chat")).usage).toMatchObject({ promptTokens: 4, cachedTokens: 2 });
    expect((await streamOf([end], "chat")).usage).toEqual({ promptTokens: 0, completionTokens: 0, totalTokens: 0 });
  });

  it.each<[what: string, piece: object, expected: object]>([
    ["beside an error", { error: { code: 503, message: "no" } }, { status: 503 }],
    ["as its reason to end", delta({}, "error"), { message: "openai ended its answer with an error." }],
    ["within its choice", { choices: [{ error: { code: "rate_limit_exceeded" } }] }, { status: 429 }],
    ["as words alone", { error: "out of memory" }, { status: 500 }],
  ])("fails when it says so %s", async (_what, piece, expected) => {
    await expect(streamOf([delta({ content: "A" }), piece, end], "chat")).rejects.toMatchObject(expected);
  });
});

it("a model reads whole answers of Chat Completions in all their forms", async () => {
  const calls = [
    { id: "a", function: { name: "f", arguments: { x: 1 } } },
    { id: "a", function: { name: "g", arguments: null } },
    { id: null, function: { name: "h", arguments: "{" } },
    { id: "n", function: { name: "" } },
  ];
  const message = { content: [{ type: "text", text: "A" }], reasoning: "hm", tool_calls: calls };
  const { toolCalls, ...rest } = await wholeOf({ choices: [{ message, finish_reason: "stop" }] }, "chat");

  expect(toolCalls.map(({ name, arguments: args }) => [name, args])).toEqual([
    ["f", { x: 1 }],
    ["g", {}],
    ["h", {}],
  ]);
  expect(new Set(toolCalls.map(({ id }) => id)).size).toBe(3);
  expect(rest).toMatchObject({
    text: "A",
    thinking: "hm",
    finishReason: "tool_calls",
    malformedArguments: [{ toolCallId: toolCalls[2]?.id, text: "{" }],
  });
});

it("a model gives chunks that came with an error before the error", async () => {
  const vendor = await startVendor({ strict: false });
  const frame = 'data: {"choices":[{"delta":{"content":"A"}}]}\n\ndata: no JSON\n\n';
  vendor.plan({ raw: { status: 200, headers: { "content-type": "text/event-stream" }, frames: [frame] } });
  const chunks: ModelChunk[] = [];
  const read = async () => {
    for await (const chunk of modelOf(vendor, { api: "chat" }).stream(question)) chunks.push(chunk);
  };

  await expect(read()).rejects.toMatchObject({
    code: "model_failed",
    message: "openai sent an event that is not JSON.",
    networkCode: "ECONNRESET",
  });
  expect(chunks).toEqual([{ type: "text", text: "A" }]);
});
