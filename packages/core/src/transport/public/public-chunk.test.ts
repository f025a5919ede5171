import { describe, expect, it } from "vitest";
import type { StreamChunk } from "../../agents/run/stream-chunk.ts";
import { toPublicChunk, toPublicResult, toPublicWorkflowChunk } from "./public-chunk.ts";

const secret = { secret: "sk-1", vendorState: { signed: true } };
const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };
const artifacts = [{ type: "é", data: "x" }];

/** Each kind of chunk with all of its declared fields. */
const chunks = [
  { type: "text", text: "" },
  { type: "thinking", text: "é" },
  { type: "source", id: "s", url: "https://a", title: "A", toolCallId: "c" },
  { type: "source", id: "s" },
  { type: "tool_call_start", toolCall: { id: "c", name: "t" } },
  { type: "tool_call_delta", toolCallId: "c", argumentsDelta: "" },
  { type: "tool_call_end", toolCallId: "c" },
  { type: "tool_progress", toolCallId: "c", toolName: "t", progress: 0 },
  { type: "tool_progress", toolCallId: "c", toolName: "t", progress: null },
  { type: "tool_result", toolCallId: "c", toolName: "t", result: "", durationMs: 0 },
  { type: "tool_result", toolCallId: "c", toolName: "t", result: "r", durationMs: 1, artifacts },
  { type: "finish", finishReason: "stop" },
  { type: "finish", finishReason: "length", usage },
  { type: "finish", finishReason: "stop", usage, stored: false },
] as unknown as StreamChunk[];

describe("a chunk as clients see it", () => {
  it.each(chunks.map((chunk) => [chunk]))("has its declared fields and no other: %j", (chunk) => {
    expect(toPublicChunk({ ...chunk, ...secret })).toStrictEqual(chunk);
    const inner = { type: "chunk", step: "s", chunk: { ...chunk, ...secret } };
    expect(toPublicWorkflowChunk(inner as never)).toStrictEqual({ type: "chunk", step: "s", chunk });
  });

  it("has no other fields of a tool call", () => {
    const chunk = { type: "tool_call_start", toolCall: { id: "c", name: "t", arguments: {}, ...secret } };
    expect(toPublicChunk(chunk as never)).toStrictEqual({ type: "tool_call_start", toolCall: { id: "c", name: "t" } });
  });

  it.each(["broken", ""])("has the error %j of a tool in place of its result", (error) => {
    const facts = { type: "tool_result" as const, toolCallId: "c", toolName: "t", durationMs: 1 };
    expect(toPublicChunk({ ...facts, result: "half", error })).toStrictEqual({ ...facts, result: error, error });
  });

  it.each(["", "toString", "vendor_event"])("is nothing when its type is %j", (type) => {
    expect(toPublicChunk({ type } as never)).toBeUndefined();
    expect(toPublicWorkflowChunk({ type: "chunk", step: "s", chunk: { type } } as never)).toBeUndefined();
  });

  it("says that it was stored by saying nothing", () => {
    expect(toPublicChunk({ type: "finish", finishReason: "stop", stored: true } as never)).toStrictEqual({
      type: "finish",
      finishReason: "stop",
    });
  });
});

describe("the result of a workflow as clients see it", () => {
  const result = { runId: "r", status: "completed", state: { a: null }, steps: [], usage, durationMs: 0 };

  it("has its declared fields and no other, at the end of its stream too", () => {
    expect(toPublicResult({ ...result, ...secret } as never)).toStrictEqual(result);
    const event = { type: "finish", result: { ...result, ...secret } };
    expect(toPublicWorkflowChunk(event as never)).toStrictEqual({ type: "finish", result });
  });

  it.each([
    [false, { stored: false }],
    [true, {}],
  ])("says that it was stored: %s", (stored, shown) => {
    expect(toPublicResult({ ...result, stored } as never)).toStrictEqual({ ...result, ...shown });
  });
});
