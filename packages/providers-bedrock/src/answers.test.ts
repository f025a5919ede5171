import type { ModelChunk } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { toStreamError, toVendorError } from "./errors.ts";
import { BedrockEventReader } from "./from-events.ts";
import { fromResponse } from "./from-response.ts";
import { toFinishReason } from "./to-finish-reason.ts";

const usage = { inputTokens: 10, outputTokens: 5, cacheReadInputTokens: 2, cacheWriteInputTokens: 3 };
const event = (type: string, payload: object) => ({ type, payload });
const start = (index: number, toolUse: unknown) =>
  event("contentBlockStart", { contentBlockIndex: index, start: { toolUse } });
const delta = (index: number, given: object) => event("contentBlockDelta", { contentBlockIndex: index, delta: given });
const stop = (index: number) => event("contentBlockStop", { contentBlockIndex: index });
const stopped = (stopReason: string) => event("messageStop", { stopReason });
const metadata = event("metadata", { usage });

/** Streams, in every order that decides about chunks and about what is sent back. */
const streams: Readonly<Record<string, readonly ReturnType<typeof event>[]>> = {
  "text and reasoning": [
    event("messageStart", { role: "assistant" }),
    delta(0, { reasoningContent: { text: "t" } }),
    delta(0, { reasoningContent: { text: "u", signature: "s" } }),
    delta(0, { text: "wrong block" }),
    stop(0),
    delta(1, { text: "é" }),
    delta(1, { text: "" }),
    delta(1, { reasoningContent: { text: "wrong block" } }),
    delta(2, { text: " " }),
    stopped("end_turn"),
    metadata,
  ],
  "reasoning that is hidden, and without a signature": [
    delta(0, { reasoningContent: { redactedContent: "ab" } }),
    delta(0, { reasoningContent: { redactedContent: "cd" } }),
    delta(1, { reasoningContent: { text: "t" } }),
    metadata,
    stopped("max_tokens"),
  ],
  "calls in pieces, at once and without arguments": [
    start(0, { toolUseId: "c1", name: "look" }),
    start(0, { toolUseId: "c9", name: "again" }),
    delta(0, { toolUse: { input: '{"a":' } }),
    delta(0, { toolUse: { input: "" } }),
    delta(0, { toolUse: { input: "1}" } }),
    stop(0),
    delta(0, { toolUse: { input: "late" } }),
    start(1, { toolUseId: "c2", name: "none" }),
    stop(1),
    start(2, { toolUseId: "c3", name: "" }),
    delta(2, { toolUse: { input: "{}" } }),
    delta(3, { toolUse: { input: "{}" } }),
    start(4, null),
    stopped("end_turn"),
    metadata,
  ],
  citations: [
    delta(0, { text: "a" }),
    delta(0, { citation: { title: "T", location: { web: { url: "https://e.x" } } } }),
    delta(0, { citation: { title: "D", location: { documentPage: { documentIndex: 0 } } } }),
    delta(0, { citation: { source: "https://e.y" } }),
    delta(0, { other: 1 }),
    event("new", {}),
    stopped("tool_use"),
    metadata,
  ],
};

/** Sorts the fields of objects, whose order says nothing. */
function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

it("the chunks of streams are these", async () => {
  const model = { providerId: "bedrock", modelId: "m" };
  const outlines = Object.entries(streams).map(([title, events]) => {
    const reader = new BedrockEventReader(model);
    const lines = events.map((each) => {
      const chunks: ModelChunk[] = [];
      reader.read(each, chunks);
      const state = `${reader.isEnding ? "ending" : ""}${reader.isComplete ? " complete" : ""}`;
      return [...chunks.map((chunk) => JSON.stringify(chunk, inOrder)), `- ${state}`].join("\n");
    });
    return [`# ${title}`, ...lines].join("\n");
  });

  const outline = outlines.join("\n\n").replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, "<new id>");

  await expect(`${outline}\n`).toMatchFileSnapshot("../test/outlines/streams.txt");
});

it("a stream may end without its tokens, but not without its stop reason", () => {
  const reader = new BedrockEventReader({ providerId: "bedrock", modelId: "m" });
  const chunks: ModelChunk[] = [];
  expect(() => reader.end(chunks)).toThrow("ended the stream before it");
  reader.read(stopped("end_turn"), chunks);
  reader.end(chunks);

  expect(chunks).toMatchObject([{ type: "finish", finishReason: "stop", usage: { totalTokens: 0 } }]);
});

it("a whole answer is read with its blocks", () => {
  const content = [
    { reasoningContent: { reasoningText: { text: "t", signature: "s" } } },
    { text: "é" },
    { citationsContent: { content: [{ text: "b" }], citations: [{ location: { web: { url: "https://e.x" } } }] } },
    { toolUse: { toolUseId: "c1", name: "look", input: { a: 1 } } },
    { toolUse: { toolUseId: "c2", name: "", input: {} } },
    { text: null, toolUse: null, reasoningContent: null, citationsContent: null },
  ];
  const body = { output: { message: { content } }, stopReason: "end_turn", usage };

  expect(fromResponse(body, { providerId: "bedrock", modelId: "m" })).toMatchObject({
    text: "éb",
    thinking: "t",
    toolCalls: [{ id: "c1", name: "look", arguments: { a: 1 } }],
    skippedCalls: 1,
    sources: [{ url: "https://e.x" }],
    finishReason: "tool_calls",
    usage: { promptTokens: 15, completionTokens: 5, totalTokens: 20, cachedTokens: 2, cacheWriteTokens: 3 },
    vendorState: { items: [{ reasoningContent: {} }, { text: "é" }, { text: "b" }, { toolUse: { toolUseId: "c1" } }] },
  });
  for (const wrong of [{ ...body, stopReason: "" }, { ...body, output: {} }, {}]) {
    expect(() => fromResponse(wrong, { providerId: "bedrock", modelId: "m" })).toThrow(
      "sent an answer without its end",
    );
  }
});

it.each([
  ["end_turn", "stop", "tool_calls"],
  ["stop_sequence", "stop", "tool_calls"],
  ["tool_use", "tool_calls", "tool_calls"],
  ["max_tokens", "length", "length"],
  ["model_context_window_exceeded", "length", "length"],
  ["content_filtered", "content_filter", "content_filter"],
  ["guardrail_intervened", "content_filter", "content_filter"],
  ["malformed_model_output", "error", "error"],
  ["malformed_tool_use", "error", "error"],
  ["toString", "other", "other"],
])("the stop reason %s is %s, and with calls %s", (reason, plain, called) => {
  expect([toFinishReason(reason, false), toFinishReason(reason, true)]).toEqual([plain, called]);
});

describe("the errors of Bedrock", () => {
  it.each<[string, number]>([
    ["validationException", 400],
    ["UnrecognizedClientException", 403],
    ["AccessDeniedException", 403],
    ["ResourceNotFoundException", 404],
    ["modelTimeoutException", 408],
    ["ThrottlingException", 429],
    ["ModelNotReadyException", 429],
    ["internalServerException", 500],
    ["modelStreamErrorException", 500],
    ["ServiceUnavailableException", 503],
    ["other", 500],
  ])("within a stream of the type %s have the status %j", (type, status) => {
    expect(toStreamError(type, { message: "é" })).toMatchObject({ message: "é", status });
  });

  it.each<[Record<string, string>, unknown, object]>([
    [{ "x-amzn-errortype": "a.b#xException:http://e.x" }, { message: "m" }, { message: "m", vendorCode: "XException" }],
    [{}, { __type: "a#YException", Message: "M" }, { message: "M", vendorCode: "YException" }],
    [{}, { code: "zException", error: { message: "e" } }, { message: "e", vendorCode: "ZException" }],
    [{ "retry-after": "2" }, "text", { message: "text", retryAfterMs: 2000 }],
  ])("with the headers %j and the body %j are %j", (headers, body, error) => {
    expect(toVendorError(body, { status: 418, headers: new Headers(headers) })).toMatchObject({
      status: 418,
      ...error,
    });
  });
});
