import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ModelError } from "../../base/errors/model-error.ts";
import type { RunOutput } from "../run/run-output.ts";
import { failureOf } from "../../testing/conformance/assert.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { Agent } from "./agent.ts";
import { callOf, look, scripted } from "./test/agents.ts";

const opts = { sessionId: "s", userId: "u" };
const asks = { thinking: "Where? ", toolCalls: [callOf("1")], responseId: "resp-1" };
const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 4, cachedTokens: 1, providerMetrics: { raw: 1 } };

describe.each(["run", "stream"] as const)("the output of an agent (%s)", (way) => {
  const start = async (agent: Agent) =>
    way === "run" ? await agent.run("Weather?", opts) : await agent.stream("Weather?", opts).output;
  beforeEach(() => void vi.useFakeTimers({ now: 1_700_000_000_000 }));
  afterEach(() => void vi.useRealTimers());

  const settled = async (promise: Promise<RunOutput>) => {
    const outcome = promise.catch((error: { output: RunOutput }) => error.output);
    await vi.advanceTimersByTimeAsync(1000);
    return await outcome;
  };

  it("has every field [output.required] [output.structured-null] [output.thinking] [output.timings] [output.identity] [output.model] [output.status] [output.messages] [output.metrics]", async () => {
    const answer = { thinking: "Rain.", text: "It rains.", usage, responseId: "resp-2", delayMs: 100 };
    const { agent } = scripted([{ ...asks, delayMs: 100 }, answer], { tools: [look] });

    const output = await settled(start(agent));

    const times = { timeToFirstTokenMs: 100, durationMs: 200 };
    expect(output).toEqual({
      text: "It rains.",
      toolCalls: [{ toolCallId: "1", toolName: "look", args: { at: "Oslo" }, result: "Oslo seen", durationMs: 0 }],
      usage: { promptTokens: 11, completionTokens: 7, totalTokens: 19, cachedTokens: 1, providerMetrics: { raw: 1 } },
      structured: null,
      thinking: "Where? Rain.",
      ...times,
      runId: expect.stringMatching(/^[\da-f-]{36}$/),
      agentName: "helper",
      ...opts,
      model: "scripted-1",
      modelProvider: "scripted",
      status: "completed",
      createdAt: 1_700_000_000_000,
      responseId: "resp-2",
      messages: [
        { role: "user", content: "Weather?" },
        { role: "assistant", content: null, toolCalls: [callOf("1")] },
        { role: "tool", toolCallId: "1", content: "Oslo seen" },
        { role: "assistant", content: "It rains." },
      ],
      metrics: { inputTokens: 11, outputTokens: 7, totalTokens: 19, ...times },
    });
    expect(output.usage.providerMetrics).toBe(usage.providerMetrics);
  });

  it("has the same fields when the run failed [run.status-error] [output.status] [output.timings] [output.metrics]", async () => {
    const { agent } = scripted(
      [
        { ...asks, usage },
        { delayMs: 50, error: new ModelError({ providerId: "p", status: 400 }) },
      ],
      {
        tools: [look],
      },
    );

    const output = await settled(start(agent));

    expect(output).toMatchObject({
      text: "",
      toolCalls: [{ toolCallId: "1", result: "Oslo seen" }],
      usage,
      structured: null,
      thinking: "Where? ",
      durationMs: 50,
      timeToFirstTokenMs: 0,
      agentName: "helper",
      ...opts,
      model: "scripted-1",
      modelProvider: "scripted",
      status: "error",
      createdAt: 1_700_000_000_000,
      responseId: "resp-1",
      metrics: { inputTokens: 1, outputTokens: 2, totalTokens: 4, durationMs: 50, timeToFirstTokenMs: 0 },
    });
    expect(output.messages?.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  });

  it("has the time at which the run began, and leaves out absent fields [output.created-at]", async () => {
    const { agent } = scripted([{ text: "Hi.", delayMs: 100 }]);
    vi.setSystemTime(1_700_000_000_500);
    const output = await settled(start(agent));

    for (const absent of ["thinking", "responseId"]) expect(output).not.toHaveProperty(absent);
    expect(output.createdAt).toBe(1_700_000_000_500);
  });

  it("keeps thinking out of the answer, the session and the messages", async () => {
    const storage = new InMemoryStorage();
    const { agent, model } = scripted([{ thinking: "SECRET", text: "Hi." }, "Again."], { storage });
    const output = await settled(start(agent));
    await settled(start(agent));

    expect(output.thinking).toBe("SECRET");
    expect(JSON.stringify(output.messages)).not.toContain("SECRET");
    expect(JSON.stringify(await storage.list("turns"))).not.toContain("SECRET");
    expect(JSON.stringify(model.calls[1]?.messages)).not.toContain("SECRET");
  });

  it("has the text of an answer that broke off", async () => {
    const { agent } = scripted([{ thinking: "hm", text: ["Take ", "an "], error: new Error("broken") }]);
    const output = await settled(start(agent));

    // Nobody saw what a model said whose answer was to come as a whole.
    const seen = way === "stream" ? { text: "Take an ", thinking: "hm" } : { text: "" };
    expect(output).toMatchObject({ status: "error", ...seen, messages: [{ role: "user" }] });
    expect(output.messages).toHaveLength(1);
  });
});

describe("the error of a run", () => {
  it("is the failure itself, with its code, fields and cause", async () => {
    const cause = new ModelError({ providerId: "p", status: 429 });
    const { agent } = scripted([{ error: cause }], { retry: { maxRetries: 0 } });

    const error = await failureOf(agent.run("Hi"));

    expect(error).toMatchObject({ code: cause.code, message: cause.message, fields: cause.fields });
    expect((error as Error).cause).toBe(cause);
  });
});
