import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import type { RunOutput } from "./run-output.ts";
import { RunError, toPublicOutput } from "./run-output.ts";

const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };
const whole: Required<RunOutput> = {
  text: "Hi",
  toolCalls: [],
  usage,
  structured: { a: 1 },
  thinking: "hm",
  durationMs: 5,
  timeToFirstTokenMs: 1,
  runId: "r",
  agentName: "a",
  sessionId: "s",
  userId: "u",
  model: "m",
  modelProvider: "p",
  status: "completed",
  createdAt: 1,
  responseId: "x",
  messages: [{ role: "user", content: "secret" }],
  artifacts: [{ type: "chart", data: [1], toolCallId: "1", toolName: "draw" }],
  sources: [{ id: "1", url: "https://example.com/", title: "An example" }],
  metrics: { inputTokens: 1, outputTokens: 2, totalTokens: 3 },
  finishReason: "length",
  stored: false,
};

describe("toPublicOutput", () => {
  it("shows the result of a run and none of its messages", () => {
    const { messages: _messages, userId: _userId, responseId: _responseId, ...shown } = whole;

    expect(toPublicOutput(whole)).toEqual(shown);
  });

  it("has null for unused structured output, and leaves out what is absent [output.structured-null]", () => {
    expect(toPublicOutput({ text: "Hi", toolCalls: [], usage })).toEqual({
      text: "Hi",
      toolCalls: [],
      usage,
      structured: null,
    });
  });

  it("passes on only fields it knows", () => {
    const extended = { ...whole, secret: "x" } as RunOutput;

    expect(toPublicOutput(extended)).not.toHaveProperty("secret");
  });
});

it("toPublicOutput shows of a failed tool call its error alone, and other calls as they are", () => {
  const call = { toolCallId: "1", toolName: "look", args: {}, result: "secret", durationMs: 1 };
  const failed = { ...call, toolCallId: "2", error: "The tool failed." };
  const { toolCalls } = toPublicOutput({ ...whole, toolCalls: [call, failed] });
  expect(toolCalls).toEqual([call, { ...failed, result: "The tool failed." }]);
  expect(toolCalls[0]).toBe(call);
});

describe("RunError", () => {
  it("serializes with its code, message, fields and run, and without the output", () => {
    const cause = new Error("boom");
    const error = new RunError("timeout", "Too slow.", { fields: { ms: 5 }, cause, output: whole as never });
    expect(error.output).toBe(whole);
    expect(error.cause).toBe(cause);
    expect(error.toJSON()).toEqual({
      name: "TroupeError",
      code: "timeout",
      message: "Too slow.",
      fields: { ms: 5 },
      runId: "r",
    });
    expect(Object.keys(error)).not.toContain("output");
    expect(inspect(error, { depth: 9 })).not.toContain("secret");
  });
});
