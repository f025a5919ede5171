import type { StreamChunk } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { readPrompt } from "./read-prompt.ts";
import { RunParts, toContent, toFinish } from "./run-parts.ts";
import { toRunOptions } from "./to-run-options.ts";
import type { AiSdkCall } from "./types.ts";

type Prompt = AiSdkCall["prompt"];
const read = (...prompt: unknown[]) => readPrompt(prompt as unknown as Prompt);
const user = (...content: object[]) => ({ role: "user", content });
const text = (value: string) => ({ type: "text", text: value });
const call = (toolCallId: string) => ({ type: "tool-call", toolCallId, toolName: "look", input: { é: 1 } });
const result = (toolCallId: string, output: object) => ({ type: "tool-result", toolCallId, output });

describe("the prompt of a call", () => {
  it("is the user's last message, and all before it", () => {
    const asking = [text("x"), text("y"), call("1"), call("0")];
    const results = [result("1", { type: "text", value: "r" }), result("0", { type: "text", value: "q" })];
    const { input, history } = read(
      { role: "system", content: "é" },
      user(text("a"), text("b")),
      {
        role: "assistant",
        content: [...asking, ...results, text("z"), call("2")],
      },
      {
        role: "tool",
        content: [
          result("2", { type: "json", value: { a: 1 } }),
          result("3", { type: "execution-denied", reason: "No." }),
          result("4", { type: "execution-denied" }),
          result("5", { type: "content", value: [text("c")] }),
          result("6", { type: "text" }),
          { type: "other" },
        ],
      },
      { role: "assistant", content: [] },
      user(text("Où?")),
    );

    const asked = (id: string) => ({ id, name: "look", arguments: { é: 1 } });
    expect(input).toBe("Où?");
    expect(history).toEqual([
      { role: "system", content: "é" },
      { role: "user", content: [text("a"), text("b")] },
      { role: "assistant", content: "xy", toolCalls: [asked("1"), asked("0")] },
      { role: "tool", toolCallId: "1", content: "r" },
      { role: "tool", toolCallId: "0", content: "q" },
      { role: "assistant", content: "z", toolCalls: [asked("2")] },
      { role: "tool", toolCallId: "2", content: '{"a":1}' },
      { role: "tool", toolCallId: "3", content: "not executed: No." },
      { role: "tool", toolCallId: "4", content: "not executed: denied" },
      { role: "tool", toolCallId: "5", content: "c" },
      { role: "tool", toolCallId: "6", content: "" },
    ]);
  });

  it("has an answer for each round of the agent's tools, however many are in one message", () => {
    const rounds = ["1", "2", "3"].flatMap((id) => [text(id), call(id), result(id, { type: "text", value: `r${id}` })]);
    const { history } = read(user(text("a")), { role: "assistant", content: [...rounds, text("z")] }, user(text("b")));

    expect(
      history.map(({ role, content, toolCalls = [] }) => [role, content, ...toolCalls.map(({ id }) => id)]),
    ).toEqual([
      ["user", "a"],
      ["assistant", "1", "1"],
      ["tool", "r1"],
      ["assistant", "2", "2"],
      ["tool", "r2"],
      ["assistant", "3", "3"],
      ["tool", "r3"],
      ["assistant", "z"],
    ]);
  });

  it.each<[object, object]>([
    [
      { mediaType: "image/png", data: "aQ==" },
      { type: "image", data: "aQ==", mimeType: "image/png" },
    ],
    [
      { mediaType: "image/*", data: new URL("https://e.x/é") },
      { type: "image", data: "https://e.x/%C3%A9" },
    ],
    [
      { mediaType: "audio/wav", data: Uint8Array.of(105) },
      { type: "audio", data: "aQ==", mimeType: "audio/wav" },
    ],
    [
      { mediaType: "text/plain", data: { type: "text", text: "é" }, filename: "é.txt" },
      { type: "file", data: "w6k=", mimeType: "text/plain", filename: "é.txt" },
    ],
    [
      { mediaType: "video/mp4", data: { type: "data", data: "aQ==" }, filename: "" },
      { type: "file", data: "aQ==", mimeType: "video/mp4" },
    ],
    [
      { mediaType: "application/pdf", data: { type: "url", url: new URL("https://e.x/a") } },
      { type: "file", data: "https://e.x/a", mimeType: "application/pdf" },
    ],
    [
      { mediaType: "toString/x", data: "aQ==" },
      { type: "file", data: "aQ==", mimeType: "toString/x" },
    ],
  ])("may have the file %j", (file, part) => {
    expect(read(user({ type: "file", ...file })).input).toEqual([part]);
  });

  it("may not have a file by an id, and must end with the user", () => {
    const file = { type: "file", mediaType: "image/png", data: { type: "reference", id: "x" } };

    expect(() => read(user(file))).toThrow(
      expect.objectContaining({
        code: "unsupported_media_type",
        message: "An agent takes no file by its vendor's id.",
      }),
    );
    for (const prompt of [[], [{ role: "assistant", content: [text("a")] }]]) {
      expect(() => read(...prompt)).toThrow(
        expect.objectContaining({
          code: "invalid_request",
          message: "The prompt must end with a message of the user.",
        }),
      );
    }
  });
});

describe("the options of a run", () => {
  const history = [{ role: "user" as const, content: "a" }];
  const options = (fields: object, before: Parameters<typeof toRunOptions>[1] = history) =>
    toRunOptions({ prompt: [], ...fields }, before);

  it.each<[object, object]>([
    [{}, {}],
    [
      { temperature: 0, topP: 1, maxOutputTokens: 5, stopSequences: ["é"], seed: 0 },
      { temperature: 0, topP: 1, maxTokens: 5, stop: ["é"], seed: 0 },
    ],
    [{ stopSequences: [] }, {}],
    [{ responseFormat: { type: "text" } }, {}],
    [{ responseFormat: { type: "json" } }, { responseFormat: "json" }],
    [
      { responseFormat: { type: "json", schema: { a: 1 } } },
      { responseFormat: { type: "json_schema", schema: { a: 1 } } },
    ],
    [
      { responseFormat: { type: "json", schema: {}, name: "é" } },
      { responseFormat: { type: "json_schema", schema: {}, name: "é" } },
    ],
    [{ reasoning: "none" }, { reasoning: { enabled: false } }],
    [{ reasoning: "max" }, { reasoning: { enabled: true, effort: "xhigh" } }],
    [{ reasoning: "provider-default" }, {}],
    ...["minimal", "low", "medium", "high", "xhigh"].map((effort): [object, object] => [
      { reasoning: effort },
      { reasoning: { enabled: true, effort } },
    ]),
  ])("of a call with %j has the settings %j", (fields, settings) => {
    expect(options(fields)).toEqual([{ modelOptions: settings, signal: undefined, messages: history }, []]);
  });

  it("warn of settings and tools that an agent does not take", () => {
    const [, warnings] = options({ topK: 0, presencePenalty: 0, frequencyPenalty: 0, tools: [{}] });

    expect(warnings).toEqual([
      { type: "unsupported", feature: "topK" },
      { type: "unsupported", feature: "presencePenalty" },
      { type: "unsupported", feature: "frequencyPenalty" },
      { type: "unsupported", feature: "tools", details: "The agent has its own tools and executes them." },
    ]);
    expect(options({ tools: [] })[1]).toEqual([]);
  });

  it("have the session, the user and the metadata of the call, and then no history", () => {
    const { signal } = new AbortController();
    const troupe = { sessionId: "s", userId: "u", metadata: { a: "é" }, other: 1 };
    const system = [{ role: "system" as const, content: "x" }, ...history];
    const [opts, warnings] = options({ providerOptions: { troupe }, abortSignal: signal }, system);

    expect(opts).toEqual({ modelOptions: {}, signal, sessionId: "s", userId: "u", metadata: { a: "é" } });
    expect(warnings).toEqual([
      {
        type: "unsupported",
        feature: "system",
        details: "The session has its own history: only the last message is used.",
      },
    ]);
    expect(options({ providerOptions: { troupe } })[1]).toEqual([]);
    expect(options({}, system)[1]).toEqual([]);
    expect(options({ providerOptions: { troupe: { sessionId: "", userId: 7 } } })[0]).toHaveProperty("messages");
  });
});

describe("the parts of a run", () => {
  it.each([
    ["stop", "stop"],
    ["length", "length"],
    ["tool_calls", "tool-calls"],
    ["content_filter", "content-filter"],
    ["error", "error"],
    ["tool_roundtrips", "other"],
    ["other", "other"],
  ] as const)("end with %s as %s", (reason, unified) => {
    expect(toFinish(reason, undefined).finishReason).toEqual({ unified, raw: reason });
  });

  it("have the tokens of the run, apart by their kinds", () => {
    const usage = { promptTokens: 10, completionTokens: 5, totalTokens: 15 };

    expect(toFinish("stop", { ...usage, cachedTokens: 2, cacheWriteTokens: 3, reasoningTokens: 1 }).usage).toEqual({
      inputTokens: { total: 10, noCache: 5, cacheRead: 2, cacheWrite: 3 },
      outputTokens: { total: 5, text: 4, reasoning: 1 },
    });
    expect(toFinish("stop", usage).usage).toEqual({
      inputTokens: { total: 10, noCache: 10 },
      outputTokens: { total: 5, text: 5 },
    });
    expect(toFinish("stop", undefined).usage).toEqual({ inputTokens: {}, outputTokens: {} });
  });

  const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };
  const ended = { type: "finish", finishReason: "length", usage };
  const shown = { dynamic: true, toolCallId: "1", toolName: "look" };

  it.each<[string, object[], object[]]>([
    [
      "text and reasoning",
      [
        { type: "text", text: "é" },
        { type: "text", text: "b" },
        { type: "thinking", text: "t" },
        { type: "text", text: "c" },
      ],
      [
        { type: "text-start", id: "text-1" },
        { type: "text-delta", id: "text-1", delta: "é" },
        { type: "text-delta", id: "text-1", delta: "b" },
        { type: "text-end", id: "text-1" },
        { type: "reasoning-start", id: "reasoning-2" },
        { type: "reasoning-delta", id: "reasoning-2", delta: "t" },
        { type: "reasoning-end", id: "reasoning-2" },
        { type: "text-start", id: "text-3" },
        { type: "text-delta", id: "text-3", delta: "c" },
      ],
    ],
    [
      "a call",
      [
        { type: "text", text: "a" },
        { type: "tool_call_start", toolCall: { id: "1", name: "look" } },
        { type: "tool_call_delta", toolCallId: "1", argumentsDelta: '{"é":' },
        { type: "tool_call_delta", toolCallId: "1", argumentsDelta: "1}" },
        { type: "tool_progress" },
        { type: "tool_result", toolCallId: "1", toolName: "look", result: [{ type: "text", text: "r" }] },
      ],
      [
        { type: "text-start", id: "text-1" },
        { type: "text-delta", id: "text-1", delta: "a" },
        { type: "text-end", id: "text-1" },
        { type: "tool-call", ...shown, input: '{"é":1}', providerExecuted: true },
        { type: "tool-result", ...shown, result: "r" },
      ],
    ],
    [
      "a call that failed, without arguments",
      [{ type: "tool_result", toolCallId: "1", toolName: "look", result: "", error: "No." }],
      [
        { type: "tool-call", ...shown, input: "{}", providerExecuted: true },
        { type: "tool-result", ...shown, result: "No.", isError: true },
      ],
    ],
    [
      "sources",
      [
        { type: "source", id: "s1", url: "https://e.x", title: "é" },
        { type: "source", id: "s2", url: "https://e.x" },
        { type: "source", id: "s3", title: "T" },
        { type: "source", id: "s4" },
      ],
      [
        { type: "source", sourceType: "url", id: "s1", url: "https://e.x", title: "é" },
        { type: "source", sourceType: "url", id: "s2", url: "https://e.x" },
        { type: "source", sourceType: "document", id: "s3", mediaType: "text/plain", title: "T" },
        { type: "source", sourceType: "document", id: "s4", mediaType: "text/plain", title: "s4" },
      ],
    ],
  ])("of %s are these", (_, chunks, parts) => {
    const reader = new RunParts();
    const given = [...chunks, ended].flatMap((chunk) => reader.read(chunk as StreamChunk));
    const last = given.at(-1);
    const open =
      given.filter(({ type }) => type.endsWith("-start")).length -
      parts.filter((part) => (part as { type: string }).type.endsWith("-end")).length;

    expect(given.slice(0, parts.length)).toEqual(parts);
    expect(given).toHaveLength(parts.length + open + 1);
    expect(last).toEqual({ type: "finish", ...toFinish("length", usage) });
  });

  it("the parts of a run at once are its reasoning, its calls with their results, its text and its sources", () => {
    const output = {
      text: "é",
      thinking: "t",
      toolCalls: [{ toolCallId: "1", toolName: "look", args: { a: 1 }, result: "r" }],
      sources: [{ id: "s", url: "u" }],
    };

    expect(toContent(output as never)).toEqual([
      { type: "reasoning", text: "t" },
      { type: "tool-call", ...shown, input: '{"a":1}', providerExecuted: true },
      { type: "tool-result", ...shown, result: "r" },
      { type: "text", text: "é" },
      { type: "source", sourceType: "url", id: "s", url: "u" },
    ]);
    expect(toContent({ text: "", thinking: "", toolCalls: [] } as never)).toEqual([]);
  });
});
