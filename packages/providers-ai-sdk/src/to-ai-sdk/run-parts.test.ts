import type { StreamChunk } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { RunParts, toContent, toFinish } from "./run-parts.ts";

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
