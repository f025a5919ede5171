import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { RunOpts } from "./run-options.ts";
import type { RunInit } from "./run-facts.ts";
import { testRun } from "./test/test-run.ts";

const runId = "0b5cd8e4-6a3c-4f5e-9d6c-3a1f0f4a4f6e";
const facts = { runId, agentName: "agent", sessionId: "s" };
const started = (opts: RunOpts = {}, more: Partial<RunInit> = {}) => {
  const run = testRun({ runId, sessionId: "s", ...opts }, more);
  run.start();
  return run;
};
const usage = { promptTokens: 3, completionTokens: 4, totalTokens: 7 };

describe("the record of a run", () => {
  beforeEach(() => void vi.useFakeTimers({ now: 1_700_000_000_000 }));
  afterEach(() => void vi.useRealTimers());

  it("gives an output without optional fields when nothing has happened", () => {
    expect(started().toOutput("error")).toEqual({
      text: "",
      toolCalls: [],
      usage: { promptTokens: 0, completionTokens: 0, totalTokens: 0 },
      structured: null,
      durationMs: 0,
      ...facts,
      status: "error",
      createdAt: 1_700_000_000_000,
      messages: [{ role: "user", content: "Hi" }],
      metrics: { inputTokens: 0, outputTokens: 0, totalTokens: 0, durationMs: 0 },
    });
  });

  it("gives an output of all that has happened [output.metrics]", () => {
    const run = started({ userId: "u" }, { model: { modelId: "m", providerId: "p" } });
    vi.advanceTimersByTime(20);
    run.noteToken();
    vi.advanceTimersByTime(30);
    run.noteToken();
    run.meter.add(usage);
    Object.assign(run, {
      text: "Hello",
      thinking: "hm",
      structured: { a: 1 },
      responseId: "resp",
      input: "Hi there",
    });
    run.messages.push({ role: "assistant", content: "Hello" });
    const result = { toolCallId: "1", toolName: "look", args: {}, result: "rain", durationMs: 1 };
    run.toolCalls.push(result);

    expect(run.toOutput("completed")).toEqual({
      text: "Hello",
      toolCalls: [result],
      usage,
      structured: { a: 1 },
      thinking: "hm",
      durationMs: 50,
      timeToFirstTokenMs: 20,
      ...facts,
      userId: "u",
      model: "m",
      modelProvider: "p",
      status: "completed",
      createdAt: 1_700_000_000_000,
      responseId: "resp",
      messages: [
        { role: "user", content: "Hi there" },
        { role: "assistant", content: "Hello" },
      ],
      metrics: { inputTokens: 3, outputTokens: 4, totalTokens: 7, timeToFirstTokenMs: 20, durationMs: 50 },
    });
  });

  it("gives an output that later work does not change", () => {
    const run = started();
    const output = run.toOutput("error");

    run.messages.push({ role: "assistant", content: "late" });
    run.toolCalls.push({ toolCallId: "1", toolName: "look", args: {}, result: "late", durationMs: 1 });

    expect([output.toolCalls, output.messages]).toEqual([[], [{ role: "user", content: "Hi" }]]);
  });

  it("measures time by the monotonic clock", () => {
    const run = started();
    vi.setSystemTime(0);
    vi.advanceTimersByTime(5);

    expect(run.toOutput("completed").durationMs).toBe(5);
  });

  it("begins with the start of the run, however long ago the run was made [output.created-at] [output.timings]", () => {
    const run = testRun();
    vi.advanceTimersByTime(50);
    run.start();
    vi.advanceTimersByTime(5);

    expect(run.toOutput("completed")).toMatchObject({ durationMs: 5, createdAt: 1_700_000_000_050 });
  });

  it("is not changed by an auxiliary call, which shares all else with the run", () => {
    const run = started();
    const auxiliary = run.forAuxiliaryCall<{ member: string }>("route");
    Object.assign(auxiliary, { text: "ann", structured: { member: "ann" }, thinking: "hm" });
    auxiliary.meter.add(usage);

    expect(run.toOutput("completed")).toMatchObject({ text: "", structured: null, usage });
    expect([auxiliary.context, auxiliary.signal, auxiliary.runId]).toEqual([run.context, run.signal, runId]);
  });
});
