import { describe, expect, it } from "vitest";
import { noUsage } from "../message/token-usage.ts";
import { completeOutput } from "./complete-output.ts";
import type { RunOutput } from "./run-output.ts";

const given: RunOutput = { text: "Hi", toolCalls: [], usage: noUsage };
const ids = { runId: "r", sessionId: "s" };

describe("the completed output of a runnable", () => {
  it("has the ids of the run, its duration and the status where the runnable gave none", () => {
    const durationMs = expect.any(Number) as number;

    expect(completeOutput({ ...given, durationMs: undefined }, ids, performance.now())).toEqual({
      ...given,
      ...ids,
      status: "completed",
      durationMs,
    });
  });

  it("keeps what the runnable gave", () => {
    const whole = { ...given, runId: "own", sessionId: "own", status: "completed", durationMs: 7, model: "m" } as const;

    expect(completeOutput(whole, ids, 0)).toEqual(whole);
  });

  it.each([
    ["nothing", undefined],
    ["a text alone", { text: "Hi" }],
    ["an output without usage", { text: "Hi", toolCalls: [] }],
  ])("rejects %s, and names the three fields", (_title, output) => {
    const failure = expect.objectContaining({
      code: "invalid_value",
      message: expect.stringContaining(
        "must have text (a string), toolCalls (an array) and usage (an object)",
      ) as string,
    }) as Error;

    expect(() => completeOutput(output as RunOutput, ids, 0)).toThrow(failure);
  });
});
