import { describe, expect, it, onTestFinished, vi } from "vitest";
import { noUsage } from "../../base/message/token-usage.ts";
import { fillOutput } from "./complete-output.ts";
import type { RunOutput } from "./run-output.ts";

const given: RunOutput = { text: "Hi", toolCalls: [], usage: noUsage };
const ids = { runId: "r", sessionId: "s" };

describe("the completed output of a runnable", () => {
  it("has the ids of the run, its duration and the status where the runnable gave none", () => {
    const durationMs = expect.any(Number) as number;

    expect(fillOutput({ ...given, durationMs: undefined }, ids, performance.now())).toEqual({
      ...given,
      ...ids,
      status: "completed",
      durationMs,
    });
  });

  it("keeps what the runnable gave", () => {
    const whole = { ...given, runId: "own", sessionId: "own", status: "completed", durationMs: 7, model: "m" } as const;

    expect(fillOutput(whole, ids, 0)).toBe(whole);
  });

  it.each(["runId", "sessionId", "status", "durationMs"] as const)(
    "has %s where the runnable left that out alone",
    (field) => {
      const whole = { ...given, runId: "own", sessionId: "own", status: "error", durationMs: 7 } as const;
      const missing = { ...ids, status: "completed", durationMs: expect.any(Number) as number };
      const { [field]: _, ...left } = whole;

      expect(fillOutput({ ...whole, [field]: undefined }, ids, 0)).toEqual({ ...left, [field]: missing[field] });
    },
  );

  it("has its duration in milliseconds since the run began", () => {
    vi.useFakeTimers({ now: 0 });
    onTestFinished(() => void vi.useRealTimers());
    const startedAt = performance.now();
    vi.advanceTimersByTime(1500);

    expect(fillOutput(given, ids, startedAt).durationMs).toBe(1500);
  });

  it("has empty ids where the run was given none", () => {
    expect(fillOutput(given, {}, 0)).toMatchObject({ runId: "", sessionId: "" });
  });

  it.each([
    ["nothing", undefined],
    ["a text alone", { text: "Hi" }],
    ["an output without usage", { text: "Hi", toolCalls: [] }],
    ["an output without a text", { toolCalls: [], usage: noUsage }],
    ["an output without tool calls", { text: "Hi", usage: noUsage }],
    ["a text that is none", { ...given, text: null }],
    ["tool calls that are no array", { ...given, toolCalls: {} }],
    ["usage that is no object", { ...given, usage: [] }],
    ["null", null],
  ])("rejects %s, and names the three fields", (_title, output) => {
    const failure = expect.objectContaining({
      code: "invalid_value",
      message:
        "The output of a runnable must have text (a string), toolCalls (an array) and usage (an object). Return the three from its run().",
    }) as Error;

    expect(() => fillOutput(output as RunOutput, ids, 0)).toThrow(failure);
  });
});
