import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RunRecord } from "./run-record.ts";
import { UsageMeter } from "./usage-meter.ts";

const facts = { runId: "r", agentName: "a", sessionId: "s" };
const usage = { promptTokens: 3, completionTokens: 4, totalTokens: 7 };

describe("RunRecord", () => {
  beforeEach(() => void vi.useFakeTimers({ now: 1_700_000_000_000 }));
  afterEach(() => void vi.useRealTimers());

  it("says of a run in which nothing happened what there is, and leaves out what there is not", () => {
    expect(new RunRecord(facts, new UsageMeter(), "Hi").toOutput("error")).toEqual({
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

  it("says all that happened [output.metrics]", () => {
    const meter = new UsageMeter();
    const record = new RunRecord({ ...facts, userId: "u", model: "m", modelProvider: "p" }, meter, "Hi");
    vi.advanceTimersByTime(20);
    record.noteToken();
    vi.advanceTimersByTime(30);
    record.noteToken();
    meter.add(usage);
    Object.assign(record, {
      text: "Hello",
      thinking: "hm",
      structured: { a: 1 },
      responseId: "resp",
      input: "Hi there",
    });
    record.messages.push({ role: "assistant", content: "Hello" });
    const result = { toolCallId: "1", toolName: "look", args: {}, result: "rain", durationMs: 1 };
    record.toolCalls.push(result);

    expect(record.toOutput("completed")).toEqual({
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
    const record = new RunRecord(facts, new UsageMeter(), "Hi");
    const output = record.toOutput("error");

    record.messages.push({ role: "assistant", content: "late" });
    record.toolCalls.push({ toolCallId: "1", toolName: "look", args: {}, result: "late", durationMs: 1 });

    expect([output.toolCalls, output.messages]).toEqual([[], [{ role: "user", content: "Hi" }]]);
  });

  it("measures time by a clock that nobody sets", () => {
    const record = new RunRecord(facts, new UsageMeter(), "Hi");
    vi.setSystemTime(0);
    vi.advanceTimersByTime(5);

    expect(record.toOutput("completed").durationMs).toBe(5);
  });
});
