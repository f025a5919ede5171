import { TruncatedResponseError } from "@troupe/core/provider";
import type { ModelChunk } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { toFinishReason, toUsage } from "./finish.ts";
import { PartsReader } from "./from-parts.ts";
import { fromResult } from "./from-result.ts";
import { replayOf } from "./replay.ts";

const model = { providerId: "acme", modelId: "m" };
const usage = {
  inputTokens: { total: 10, cacheRead: 2, cacheWrite: 3 },
  outputTokens: { total: 5, reasoning: 1 },
};
const finish = (unified = "stop", raw: string | undefined = "r") => ({
  type: "finish",
  finishReason: { unified, raw },
  usage,
});
const meta = { acme: { signature: "s" } };
const call = (toolCallId: string, input: unknown, more: object = {}) => ({
  type: "tool-call",
  toolCallId,
  toolName: "look",
  input,
  ...more,
});

/** The parts of a stream, in every order that decides about chunks and about what is sent back. */
const streams: Readonly<Record<string, readonly object[]>> = {
  "text in blocks": [
    { type: "stream-start", warnings: [{ type: "other" }] },
    { type: "response-metadata", id: "r1", modelId: "m-1" },
    { type: "response-metadata", timestamp: 1 },
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: "é" },
    { type: "text-delta", id: "1", delta: "" },
    { type: "text-end", id: "1" },
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: "b", providerMetadata: meta },
    finish(),
  ],
  "blocks at once": [
    { type: "text-delta", id: "1", delta: "a" },
    { type: "text-delta", id: "2", delta: "b" },
    { type: "text-delta", id: "1", delta: "c" },
    { type: "text-end", id: "2", providerMetadata: meta },
    finish(),
  ],
  "reasoning beside text": [
    { type: "reasoning-start", id: "1" },
    { type: "text-delta", id: "1", delta: "a" },
    { type: "reasoning-delta", id: "1", delta: "t" },
    { type: "reasoning-end", id: "1", providerMetadata: meta },
    finish("length"),
  ],
  "reasoning whose signature comes again": [
    { type: "reasoning-start", id: "1", providerMetadata: { acme: { signature: "early" } } },
    { type: "reasoning-delta", id: "1", delta: "t" },
    { type: "reasoning-end", id: "1", providerMetadata: meta },
    finish(),
  ],
  "a call in pieces": [
    { type: "tool-input-start", id: "c1", toolName: "look" },
    { type: "tool-input-delta", id: "c1", delta: '{"a":' },
    { type: "tool-input-delta", id: "c1", delta: "1}" },
    { type: "tool-input-end", id: "c1" },
    call("c1", '{"a":1}', { providerMetadata: meta }),
    call("c1", '{"a":1}'),
    { type: "tool-input-delta", id: "c1", delta: "late" },
    finish(),
  ],
  "a call at once, parsed, and one with a rest": [
    call("c1", { é: 1 }),
    { type: "tool-input-start", id: "c2", toolName: "look" },
    { type: "tool-input-delta", id: "c2", delta: "{" },
    call("c2", "{}"),
    { type: "tool-input-start", id: "c3", toolName: "look" },
    { type: "tool-input-delta", id: "c3", delta: "x" },
    call("c3", "{}"),
    finish("tool-calls"),
  ],
  "a call without a name in pieces": [
    { type: "tool-input-start", id: "c1", toolName: "" },
    { type: "tool-input-delta", id: "c1", delta: "{}" },
    call("c1", "{}", { toolName: "" }),
    finish(),
  ],
  "two calls without a name": [call("c1", "{}", { toolName: "" }), call("c2", "{}", { toolName: "" }), finish()],
  "calls of the vendor": [
    { type: "tool-input-start", id: "c1", toolName: "search", providerExecuted: true },
    { type: "tool-input-delta", id: "c1", delta: "{}" },
    call("c1", "{}", { providerExecuted: true }),
    { type: "tool-result", toolCallId: "c1", toolName: "search", result: 0, preliminary: true },
    { type: "tool-result", toolCallId: "c1", toolName: "search", result: { a: 1 } },
    { type: "tool-result", toolCallId: "c2", toolName: "search", result: "x", isError: true, providerMetadata: meta },
    { type: "custom", kind: "x" },
    { type: "reasoning-file", data: "a" },
    { type: "toString" },
    finish("content-filter"),
  ],
  sources: [
    { type: "source", sourceType: "url", id: "s1", url: "https://e.x", title: "é" },
    { type: "source", sourceType: "document", id: "s2", title: "T" },
    finish("error"),
  ],
  "an end without tokens": [{ type: "finish", finishReason: { unified: "x", raw: "y" } }],
};

/** Sorts the fields of objects, whose order says nothing. */
function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

// What core gets of an answer. If a change is meant, write the outlines anew by `vitest --update`.
it("the chunks of streams are these", async () => {
  const outlines = Object.entries(streams).map(([title, parts]) => {
    const warnings: unknown[] = [];
    const context = {
      model,
      onWarnings: (given: unknown) => void warnings.push(given),
      toError: (error: unknown) => error,
    };
    const reader = new PartsReader(context);
    const lines = parts.map((part) => {
      const chunks: ModelChunk[] = [];
      reader.read(part, chunks);
      return chunks.map((chunk) => JSON.stringify(chunk, inOrder)).join("\n") || "-";
    });
    return [`# ${title}`, ...lines, `complete: ${reader.isComplete}, warned: ${JSON.stringify(warnings)}`].join("\n");
  });

  await expect(`${outlines.join("\n\n")}\n`).toMatchFileSnapshot("../test/outlines/streams.txt");
});

it("an error part of a stream is thrown as the vendor's, and an end without a finish as a truncated answer", () => {
  const reader = new PartsReader({
    model,
    onWarnings: () => undefined,
    toError: (error) => new Error(`of ${String(error)}`),
  });

  expect(() => reader.read({ type: "error", error: "é" }, [])).toThrow("of é");
  expect(() => reader.end()).toThrow(TruncatedResponseError);
});

it.each<[string, object[], object]>([
  ["nothing", [], { text: "", toolCalls: [] }],
  [
    "texts",
    [
      { type: "text", text: "a" },
      { type: "text", text: "é" },
    ],
    { text: "aé", toolCalls: [] },
  ],
  [
    "reasoning",
    [
      { type: "reasoning", text: "a" },
      { type: "text", text: " " },
      { type: "text", text: "", providerMetadata: meta },
    ],
    {
      text: " ",
      thinking: "a",
      toolCalls: [],
      vendorState: {
        ...model,
        items: [
          { type: "reasoning", text: "a" },
          { type: "text", text: "", providerOptions: meta },
        ],
      },
    },
  ],
  [
    "calls",
    [call("1", '{"a":1}'), call("2", { b: 1 }), call("3", "{"), call("4", "{}", { toolName: "" })],
    {
      text: "",
      toolCalls: [
        { id: "1", name: "look", arguments: { a: 1 } },
        { id: "2", name: "look", arguments: { b: 1 } },
        { id: "3", name: "look", arguments: {} },
      ],
      malformedArguments: [{ toolCallId: "3", text: "{" }],
      skippedCalls: 1,
      finishReason: "tool_calls",
    },
  ],
])("a whole answer of %s is read", (_, content, read) => {
  const common = {
    finishReason: "stop",
    usage: expect.objectContaining({ promptTokens: 10 }),
    responseId: "r",
    model: "m-1",
  };
  const given = { content, finishReason: finish().finishReason, usage, response: { id: "r", modelId: "m-1" } };

  expect(fromResult(given, model)).toEqual({ ...common, ...read });
  expect(fromResult({ ...given, response: {} }, model)).not.toHaveProperty("responseId");
});

it("an answer that is no list of parts could not be read", () => {
  expect(() => fromResult({ content: "x" }, model)).toThrow("could not be read");
});

it.each([
  ["stop", "r", false, "stop"],
  ["stop", "r", true, "tool_calls"],
  ["length", "r", true, "length"],
  ["content-filter", "r", false, "content_filter"],
  ["tool-calls", "r", false, "tool_calls"],
  ["error", "r", false, "error"],
  ["other", "r", false, "other"],
  ["other", "r", true, "other"],
  ["toString", undefined, false, "other"],
] as const)("the end %s (%s) with calls: %s is %s", (...[unified, raw, hasCalls, reason]) => {
  expect(toFinishReason({ unified, raw }, hasCalls)).toBe(reason);
});

it.each([{ unified: "interrupted", raw: "r" }, { unified: "other" }, { unified: "" }, {}, undefined])(
  "the end %j is that of a truncated answer",
  (reason) => {
    expect(() => toFinishReason(reason, false)).toThrow(TruncatedResponseError);
  },
);

it("the tokens of an answer are read, with the vendor's own numbers, or unknown", () => {
  const counts = { promptTokens: 10, completionTokens: 5, cachedTokens: 2, cacheWriteTokens: 3, reasoningTokens: 1 };

  expect(toUsage(usage)).toMatchObject({ ...counts, totalTokens: 15, providerMetrics: usage });
  expect(toUsage({ ...usage, raw: { a: 1 } })).toMatchObject({ ...counts, providerMetrics: { a: 1 } });
  expect(toUsage({ ...usage, raw: {} })).toMatchObject({ providerMetrics: { inputTokens: usage.inputTokens } });
  expect(toUsage({ inputTokens: { total: 1 } })).toMatchObject({ promptTokens: 1 });
  expect(toUsage({ outputTokens: { total: 1 } })).toMatchObject({ completionTokens: 1 });
  expect([toUsage({}), toUsage(undefined), toUsage({ inputTokens: { cacheRead: 1 } })]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

describe("the parts that are sent back", () => {
  const items = [{ type: "text", text: "a" }, call("1", {}), call("h", {}, { providerExecuted: true }), call("2", {})];
  const message = (ids: string[], vendorState: object | undefined = { ...model, items }) =>
    ({
      role: "assistant",
      content: "a",
      toolCalls: ids.map((id) => ({ id, name: "look", arguments: {} })),
      vendorState,
    }) as never;

  it.each([
    [["1", "2"], true],
    [["2", "1"], false],
    [["1"], false],
    [["1", "2", "3"], false],
    [[], false],
  ])("are those of the answer if it has the calls %j: %s", (ids, isSame) => {
    expect(replayOf(message(ids), model)).toEqual(isSame ? items : undefined);
  });

  it.each([
    ["another vendor's", { providerId: "b", modelId: "m", items }],
    ["another model's", { providerId: "acme", modelId: "n", items }],
    ["of another form", { ...model, items: "x" }],
  ])("are none if the state is %s", (_, state) => {
    expect(replayOf(message(["1", "2"], state), model)).toBeUndefined();
  });
});
