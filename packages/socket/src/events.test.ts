import { TroupeError } from "@troupe/core";
import type { StreamChunk } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { toClientError, toServerEvent } from "./events.ts";

const origin = { runId: "r1", name: "helper", sessionId: "s1", id: "7" };
const toolCall = { id: "c1", name: "pay", arguments: { amount: 1 }, secret: 1 };
const result = { toolCallId: "c1", toolName: "pay", result: "Paid.", durationMs: 5 };

describe("the event of a chunk", () => {
  it.each<[object, string, object]>([
    [{ type: "text", text: "Hi." }, "agent.chunk", { chunk: "Hi." }],
    [{ type: "thinking", text: "Hm." }, "agent.thinking", { text: "Hm." }],
    [
      { type: "text", text: "Hi.", speaker: "ann", delegationId: "c1" },
      "agent.chunk",
      { chunk: "Hi.", speaker: "ann", delegationId: "c1" },
    ],
    [{ type: "thinking", text: "Hm.", speaker: "ann" }, "agent.thinking", { text: "Hm.", speaker: "ann" }],
    [
      { type: "text", text: "Hi.", member: "ann", delegationId: "c1" },
      "agent.member.chunk",
      { chunk: "Hi.", member: "ann", delegationId: "c1" },
    ],
    [{ type: "thinking", text: "Hm.", member: "ann" }, "agent.member.thinking", { text: "Hm.", member: "ann" }],
    [{ type: "tool_call_start", toolCall }, "agent.tool.call", { toolName: "pay", args: null, toolCallId: "c1" }],
    [{ type: "tool_call_end", toolCallId: "c1" }, "agent.tool.done", { toolCallId: "c1" }],
    [
      { type: "tool_progress", toolCallId: "c1", toolName: "pay", progress: { step: 1 } },
      "agent.tool.progress",
      { toolCallId: "c1", toolName: "pay", progress: { step: 1 } },
    ],
    [{ type: "tool_result", ...result }, "agent.tool.result", result],
    [
      { type: "tool_result", ...result, error: "It failed.", artifacts: [{ type: "map", data: 1 }] },
      "agent.tool.result",
      { ...result, result: "It failed.", error: "It failed.", artifacts: [{ type: "map", data: 1 }] },
    ],
    [{ type: "source", id: "d1", title: "Tea" }, "agent.source", { source: { id: "d1", title: "Tea" } }],
  ])("of %j is %s, with the ids of its run and declared fields alone", (chunk, name, payload) => {
    const event = toServerEvent({ ...chunk, secret: 1 } as unknown as StreamChunk, origin);
    expect(event).toStrictEqual([name, { ...origin, ...payload }]);
  });

  it.each<[object]>([
    [{ type: "tool_call_delta", toolCallId: "c1", argumentsDelta: "{" }],
    [{ type: "finish", finishReason: "stop" }],
    [{ type: "unknown", text: "Hi." }],
  ])("of %j is none", (chunk) => {
    expect(toServerEvent(chunk as StreamChunk, origin)).toBeUndefined();
  });
});

describe("the error that a client sees", () => {
  it("has the sentence, the code and the fields", () => {
    const error = new TroupeError("rate_limited", "Too many.", {
      fields: { retryAfterMs: 5 },
      cause: new Error("secret"),
    });
    expect(toClientError(error)).toStrictEqual({ error: "Too many.", code: "rate_limited", retryAfterMs: 5 });
  });

  it("the error that a client sees of a fault of the service says no more than that", () => {
    expect(toClientError(new TroupeError("internal", "secret"))).toStrictEqual({
      error: "Something went wrong in this service.",
      code: "internal",
    });
  });
});
