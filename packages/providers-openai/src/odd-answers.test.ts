import { collectResponse } from "@troupe/core/provider";
import type { ModelResponse } from "@troupe/core";
import type { ModelChunk } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { modelOf, question, startVendor } from "../test/ask.ts";

type Pieces = readonly object[];

/** Returns the result of events that a server sends. */
async function streamOf(events: readonly (object | string)[], api: "chat" | "responses"): Promise<ModelResponse> {
  const vendor = await startVendor({ strict: false });
  const frames = events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
  vendor.plan({ raw: { status: 200, headers: { "content-type": "text/event-stream" }, frames } });
  const format = api === "responses" ? { responseFormat: "json" as const } : {};
  return await collectResponse(modelOf(vendor, { api }).stream(question, format));
}

/** Returns the result of a whole answer. */
async function wholeOf(body: object, api: "chat" | "responses"): Promise<ModelResponse> {
  const vendor = await startVendor({ strict: false });
  const headers = { "content-type": "application/json" };
  vendor.plan({ raw: { status: 200, headers, frames: [JSON.stringify(body)] } });
  const format = api === "responses" ? { responseFormat: "json" as const } : {};
  return await modelOf(vendor, { api }).generate(question, format);
}

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

describe("a stream of Responses", () => {
  const completed = { type: "response.completed", response: { status: "completed", output: [] } };
  const item = (index: number, fields: object) => ({ output_index: index, item: fields });

  it("is read without the names of its events, and without pieces of arguments", async () => {
    const call = { type: "function_call", call_id: "a", name: "f", arguments: '{"x":1}' };
    const { toolCalls } = await streamOf(
      [
        { type: "response.created", response: {} },
        { type: "response.output_item.added", ...item(0, { ...call, arguments: "" }) },
        { type: "response.output_item.done", ...item(0, call) },
        { type: "response.output_item.done", ...item(1, { ...call, call_id: "", name: "g" }) },
        { type: "response.output_item.added", ...item(2, { ...call, call_id: "c", name: "h" }) },
        { type: "response.something.new" },
        completed,
        "[DONE]",
      ],
      "responses",
    );

    expect(toolCalls.map(({ name, arguments: args }) => [name, args])).toEqual([
      ["f", { x: 1 }],
      ["g", { x: 1 }],
      ["h", { x: 1 }],
    ]);
    expect(toolCalls[1]?.id).toMatch(/^call_/);
  });

  const words = (phase: string, text: string) => ({
    type: "message",
    phase,
    content: [{ type: "output_text", text }],
  });

  it("keeps what is said before an answer of JSON out of it", async () => {
    const events = ["commentary", "final_answer"].flatMap((phase, index) => [
      { type: "response.output_item.added", ...item(index, { type: "message", phase }) },
      { type: "response.output_text.delta", output_index: index, delta: index === 0 ? "Let me see. " : "{}" },
    ]);
    const output = [words("commentary", "Let me see. "), words("final_answer", "{}")];

    const expected = { text: "{}", thinking: "Let me see. " };
    expect(await streamOf([...events, completed], "responses")).toMatchObject(expected);
    expect(await wholeOf({ status: "completed", output }, "responses")).toMatchObject(expected);
  });

  it("parts the paragraphs of its reasoning as a whole answer does", async () => {
    const summary = (index: number, delta: string) => [
      { type: "response.reasoning_summary_part.added", summary_index: index },
      { type: "response.reasoning_summary_text.delta", summary_index: index, delta },
    ];
    const reasoning = { type: "reasoning", summary: [{ text: "One." }, { text: "Two." }] };

    const streamed = await streamOf([...summary(0, "One."), ...summary(1, "Two."), completed], "responses");
    expect(streamed.thinking).toBe("One.\n\nTwo.");
    expect((await wholeOf({ status: "completed", output: [reasoning] }, "responses")).thinking).toBe("One.\n\nTwo.");
  });

  it("parts a second item of reasoning from the first, streamed and whole [model-calls.second-pieces]", async () => {
    const part = (index: number, delta: string) => [
      { type: "response.reasoning_summary_part.added", output_index: index, summary_index: 0 },
      { type: "response.reasoning_summary_text.delta", output_index: index, summary_index: 0, delta },
    ];
    const output = ["One.", "Two."].map((text) => ({ type: "reasoning", summary: [{ text }] }));

    expect((await streamOf([...part(0, "One."), ...part(1, "Two."), completed], "responses")).thinking).toBe(
      "One.\n\nTwo.",
    );
    expect((await wholeOf({ status: "completed", output }, "responses")).thinking).toBe("One.\n\nTwo.");
  });

  it.each([{}, { responseFormat: "text" }] as const)(
    "keeps what is said before an answer of text in it, with %j [model-config.format-text]",
    async (options) => {
      const vendor = await startVendor({ strict: false });
      const body = {
        status: "completed",
        output: [words("commentary", "Let me see. "), words("final_answer", "Rain.")],
      };
      const headers = { "content-type": "application/json" };
      vendor.plan({ raw: { status: 200, headers, frames: [JSON.stringify(body)] } });

      expect((await modelOf(vendor).generate(question, options)).text).toBe("Let me see. Rain.");
    },
  );

  it("tells the reasoning of open models, which is not kept for the vendor", async () => {
    const output = [{ type: "reasoning", content: [{ type: "reasoning_text", text: "Hm." }] }, words("", "Yes.")];
    const response = await wholeOf({ status: "completed", output }, "responses");

    expect(response.thinking).toBe("Hm.");
    expect(response).not.toHaveProperty("vendorState");
  });

  it("keeps no reasoning that nothing followed, for the vendor would not take it back", async () => {
    const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAA" };
    const response = { status: "incomplete", incomplete_details: { reason: "max_output_tokens" }, output: [reasoning] };
    const events = [
      { type: "response.output_item.done", ...item(0, reasoning) },
      { type: "response.incomplete", response },
    ];

    for (const answer of [await streamOf(events, "responses"), await wholeOf(response, "responses")]) {
      expect(answer.finishReason).toBe("length");
      expect(answer).not.toHaveProperty("vendorState");
    }
  });

  it.each([
    ["failed", { status: "failed", error: { code: "server_error" } }, { status: 500 }],
    ["never ended", { status: "in_progress" }, { networkCode: "ECONNRESET" }],
    ["was cancelled", { status: "cancelled", error: { code: "rate_limit_exceeded" } }, { status: 429 }],
  ])("is an error as a whole answer that %s", async (_what, body, expected) => {
    await expect(wholeOf(body, "responses")).rejects.toMatchObject(expected);
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
