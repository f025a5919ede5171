import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Agent } from "../agent/agent.ts";
import { ModelError } from "../../base/errors/model-error.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { ErrorCode } from "../../base/errors/troupe-error.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { scriptedUsage } from "../../testing/scripted-answer.ts";
import { retryStep } from "./retry-step.ts";
import { failing, failureOf } from "./test/failures.ts";
import { Workflow } from "./workflow.ts";

describe("retryPolicy", () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.spyOn(Math, "random").mockReturnValue(1);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  const flowOf = (step: ReturnType<typeof failing>, maxRetries: number) => {
    const before = failing(0);
    const flow = new Workflow({
      name: "flow",
      initialState: { n: 0 },
      retryPolicy: { maxRetries, backoffMs: 100 },
      steps: [
        { name: "before", run: before.run },
        { name: "flaky", run: step.run },
      ],
    });
    return { flow, before };
  };

  it("repeats the failed step alone, after waits that double from backoffMs [workflow.retry-policy]", async () => {
    const flaky = failing(2);
    const { flow, before } = flowOf(flaky, 2);
    const run = flow.run();

    await vi.advanceTimersByTimeAsync(99);
    expect(flaky.calls()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(flaky.calls()).toBe(2);
    await vi.advanceTimersByTimeAsync(199);
    expect(flaky.calls()).toBe(2);
    await vi.advanceTimersByTimeAsync(1);
    expect((await run).state).toEqual({ n: 3 });
    expect(before.calls()).toBe(1);
  });

  it.each([
    { made: 0, pauses: [100, 200, 400] },
    { made: 1, pauses: [200, 400] },
    { made: 2, pauses: [400] },
    { made: 3, pauses: [] },
    { made: 4, pauses: [] },
  ])("waits $pauses ms after $made attempts that were made before a restart", async ({ made, pauses }) => {
    const times: number[] = [];
    const work = () => {
      times.push(Date.now());
      throw new TroupeError("unavailable", "Not now.");
    };
    const policy = { maxRetries: 3, backoffMs: 100 };
    const { signal } = new AbortController();
    const failure = retryStep({ name: "flaky", policy, signal, made, work }).catch((error: unknown) => error);
    await vi.runAllTimersAsync();
    expect(await failure).toMatchObject({ code: "unavailable" });

    expect(times.slice(1).map((time, index) => time - (times[index] ?? 0))).toEqual(pauses);
  });

  it("applies jitter to each wait", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0.25);
    const flaky = failing(1);
    const run = flowOf(flaky, 1).flow.run();

    await vi.advanceTimersByTimeAsync(25);
    expect((await run).state).toEqual({ n: 2 });
  });

  it("fails after maxRetries with the last error", async () => {
    const flaky = failing(9, new TroupeError("unavailable", "Not now."));
    const failure = failureOf(flowOf(flaky, 2).flow.run());

    await vi.runAllTimersAsync();
    expect((await failure).message).toBe('The step "flaky" failed: Not now.');
    expect(flaky.calls()).toBe(3);
  });

  it.each<ErrorCode>([
    "cancelled",
    "invalid_config",
    "invalid_value",
    "invalid_request",
    "unauthorized",
    "limit_exceeded",
  ])("does not repeat a step that failed with %s", async (code) => {
    const flaky = failing(1, new TroupeError(code, "No."));

    expect((await failureOf(flowOf(flaky, 2).flow.run())).code).toBe(code);
    expect(flaky.calls()).toBe(1);
  });

  it("stops at once when the run is aborted", async () => {
    const abort = new AbortController();
    const flaky = failing(9);
    const failure = failureOf(flowOf(flaky, 9).flow.run({ signal: abort.signal }));
    await vi.advanceTimersByTimeAsync(50);
    abort.abort();

    expect((await failure).code).toBe("cancelled");
    expect(vi.getTimerCount()).toBe(0);
    expect(flaky.calls()).toBe(1);
  });

  it("gives each attempt the same state and the same idempotency key", async () => {
    const seen: unknown[] = [];
    const flow = new Workflow({
      name: "flow",
      initialState: { list: [1] },
      retryPolicy: { maxRetries: 1, backoffMs: 0 },
      steps: [
        {
          name: "flaky",
          run: ({ list }, { idempotencyKey }) => {
            seen.push([...list, idempotencyKey]);
            list.push(2);
            if (seen.length === 1) throw new Error("again");
          },
        },
      ],
    });
    const run = flow.run();
    await vi.runAllTimersAsync();
    const { runId } = await run;

    expect(seen).toEqual([
      [1, `${runId}/flaky`],
      [1, `${runId}/flaky`],
    ]);
  });

  it("counts the usage of failed attempts", async () => {
    const error = new ModelError({ providerId: "scripted", status: 400 });
    const tools = [
      { name: "look", description: "Looks.", parameters: { type: "object" }, execute: () => "seen" },
    ] as const;
    const model = new ScriptedModel({ toolCalls: [{ name: "look" }] }, { error }, "Done.");
    const flow = new Workflow({
      name: "flow",
      initialState: { say: "" },
      retryPolicy: { maxRetries: 1, backoffMs: 0 },
      steps: [{ name: "say", agent: new Agent({ name: "a", model, tools }), inputFrom: () => "go" }],
    });
    const run = flow.run();
    await vi.runAllTimersAsync();
    const { state, usage } = await run;

    expect([state, usage.totalTokens]).toEqual([{ say: "Done." }, 2 * scriptedUsage.totalTokens]);
    expect(model.calls[2]?.messages.map(({ role }) => role)).toContain("tool");
  });
});
