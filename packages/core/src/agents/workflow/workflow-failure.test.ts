import { inspect } from "node:util";
import { letRun } from "@troupe-internal/interleavings";
import { describe, expect, it, vi } from "vitest";
import { toPublicError } from "../../base/errors/public-error.ts";
import { Agent } from "../agent/agent.ts";
import { ModelError } from "../../base/errors/model-error.ts";
import type { TroupeError } from "../../base/errors/troupe-error.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { scriptedUsage } from "../../testing/scripted-answer.ts";
import { failing, failureOf } from "./test/failures.ts";
import { Workflow } from "./workflow.ts";

describe("a step that fails", () => {
  it("ends the run with its name, the state and the results of the steps", async () => {
    const model = new ScriptedModel("Rain.");
    const flow = new Workflow({
      name: "flow",
      initialState: { weather: "", n: 0 },
      steps: [
        { name: "weather", agent: new Agent({ name: "a", model }), inputFrom: () => "Oslo?" },
        {
          name: "when",
          condition: () => true,
          steps: [
            { name: "count", run: () => ({ n: 1 }) },
            { name: "break", run: failing(1).run },
          ],
        },
        { name: "never", run: () => ({ n: 9 }) },
      ],
    });
    const errors: unknown[] = [];
    flow.eventBus.on("run.error", ({ error }) => errors.push([error.code, error.fields]));
    const { code, fields, message, result, output } = await failureOf(flow.run());

    expect([code, fields, message]).toEqual(["internal", { step: "break" }, 'The step "break" failed: secret']);
    expect(result).toMatchObject({ status: "error", state: { weather: "Rain.", n: 1 }, usage: scriptedUsage });
    expect(result.steps.map(({ name, status }) => `${name} ${status}`)).toEqual([
      "weather completed",
      "when error",
      "count completed",
      "break error",
    ]);
    expect(result.steps.at(-1)?.error).toEqual({ code: "internal", message: "Something went wrong in this service." });
    expect([output.text, output.structured, output.runId]).toEqual(["Rain.", result.state, result.runId]);
    expect(errors).toEqual([["internal", { step: "break" }]]);
  });

  it("keeps the code, the fields and the usage of its agent's error", async () => {
    const broken = new ScriptedModel("fine", { error: new ModelError({ providerId: "scripted", status: 400 }) });
    const agent = new Agent({ name: "a", model: broken });
    const flow = new Workflow({
      name: "flow",
      initialState: {},
      steps: [
        { name: "one", agent, inputFrom: () => "go" },
        { name: "two", agent },
      ],
    });
    const { code, fields, cause, result } = await failureOf(flow.run());

    expect([code, fields]).toEqual(["model_failed", { vendor: "scripted", status: 400, step: "two" }]);
    expect(cause).toBeInstanceOf(ModelError);
    expect(result.usage).toEqual(scriptedUsage);
    expect(result.steps[1]?.error).toMatchObject({ code: "model_failed", step: "two" });
  });

  it("has the exception of its function as the cause of the error, and its message in it, also in a nested workflow [errors.program-message] [errors.one-cause]", async () => {
    const original = new RangeError("no rows");
    const inner = new Workflow({
      name: "inner",
      initialState: {},
      steps: [{ name: "query", run: () => Promise.reject(original) }],
      retryPolicy: { maxRetries: 1, backoffMs: 0 },
    });
    const outer = new Workflow({
      name: "outer",
      initialState: {},
      steps: [{ name: "sub", agent: inner.asRunnable() }],
    });
    const error = await failureOf(outer.run());

    expect([error.code, error.message]).toEqual([
      "internal",
      'The step "sub" failed: The step "query" failed: no rows',
    ]);
    expect(error.cause).toBe(original);
    expect(toPublicError(error).message).not.toContain("no rows");
    expect(JSON.stringify(error)).not.toContain("state");
    expect(inspect(error)).not.toMatch(/initialState|messages/);
  });

  it("aborts parallel steps at once, without waiting for those that ignore their signal", async () => {
    const model = new ScriptedModel({ hang: true });
    const heard: string[] = [];
    const flow = new Workflow({
      name: "flow",
      initialState: { n: 0 },
      steps: [
        {
          name: "block",
          parallel: [
            { name: "agent", agent: new Agent({ name: "a", model }), inputFrom: () => "go" },
            { name: "deaf", run: () => new Promise<void>(() => {}) },
            {
              name: "two",
              condition: () => true,
              steps: [
                {
                  name: "listens",
                  run: (_state, { signal }) =>
                    new Promise<void>((resolve) => {
                      signal.addEventListener("abort", () => {
                        heard.push((signal.reason as TroupeError).message);
                        resolve();
                      });
                    }),
                },
                { name: "after", run: () => void heard.push("after") },
              ],
            },
            {
              name: "breaks",
              run: async () => {
                await vi.waitUntil(() => model.calls.length === 1);
                throw new Error("broken");
              },
            },
          ],
        },
      ],
    });
    const { fields, result } = await failureOf(flow.run());
    await vi.waitUntil(() => model.calls[0]?.end === "cancelled");

    expect(fields).toEqual({ step: "breaks" });
    expect(heard).toEqual(['The parallel step "breaks" failed.']);
    expect(result.state).toEqual({ n: 0 });
    expect(result.steps.map(({ name, status }) => `${name} ${status}`)).toEqual([
      "block error",
      "agent cancelled",
      "deaf cancelled",
      "two cancelled",
      "listens completed",
      "breaks error",
    ]);
  });

  it("keeps the changes of parallel steps that were done, and none of those that failed, also within [workflow.failed-state]", async () => {
    const set = (name: string) => ({ name, run: () => ({ [name]: 1 }) });
    const done = { name: "done", parallel: [set("a"), { name: "when", condition: () => true, steps: [set("b")] }] };
    const failed = {
      name: "failed",
      parallel: [
        {
          name: "in turn",
          condition: () => true,
          steps: [set("c"), { name: "inner", parallel: [set("d"), set("e")] }],
        },
        {
          name: "late",
          run: async () => {
            await letRun();
            throw new Error("late");
          },
        },
      ],
    };
    const flow = new Workflow({
      name: "flow",
      initialState: { a: 0, b: 0, c: 0, d: 0, e: 0, f: 0 },
      steps: [{ name: "outer", condition: () => true, steps: [done, set("f"), failed] }],
    });

    expect((await failureOf(flow.run())).result.state).toEqual({ a: 1, b: 1, c: 0, d: 0, e: 0, f: 1 });
  });

  it("does not merge the changes of parallel steps", async () => {
    const flow = new Workflow({
      name: "flow",
      initialState: { a: 0, b: 0 },
      steps: [
        { name: "before", run: () => ({ b: 1 }) },
        {
          name: "block",
          parallel: [
            { name: "fine", run: () => ({ a: 1 }) },
            { name: "broken", run: async () => await Promise.reject(new Error("late")) },
          ],
        },
      ],
    });

    expect((await failureOf(flow.run())).result.state).toEqual({ a: 0, b: 1 });
  });
});

describe("ending a run from outside", () => {
  it("cancels the run and its active steps by the caller's signal", async () => {
    const abort = new AbortController();
    const model = new ScriptedModel({ hang: true });
    const flow = new Workflow({
      name: "flow",
      initialState: { n: 0 },
      steps: [
        { name: "one", run: () => ({ n: 1 }) },
        { name: "agent", agent: new Agent({ name: "a", model }), inputFrom: () => "go" },
      ],
    });
    const failure = failureOf(flow.run({ signal: abort.signal }));
    await vi.waitUntil(() => model.calls.length === 1);
    abort.abort();
    const { code, result } = await failure;

    expect([code, result.state]).toEqual(["cancelled", { n: 1 }]);
    expect(result.steps.map(({ status }) => status)).toEqual(["completed", "cancelled"]);
    await vi.waitUntil(() => model.calls[0]?.end === "cancelled");
  });

  it("runs no step when the signal aborted before, and returns the first state", async () => {
    const step = failing(0);
    const flow = new Workflow({ name: "flow", initialState: { n: 0 }, steps: [{ name: "one", run: step.run }] });
    const { code, result } = await failureOf(flow.run({ signal: AbortSignal.abort(), input: { n: 7 } }));

    expect([code, result.state, result.steps, step.calls()]).toEqual(["cancelled", { n: 7 }, [], 0]);
  });

  it("runs no further step after a function that ignored the signal", async () => {
    const abort = new AbortController();
    const late = Promise.withResolvers<void>();
    const after = failing(0);
    const flow = new Workflow({
      name: "flow",
      initialState: { n: 0 },
      steps: [
        { name: "deaf", run: async () => await late.promise },
        { name: "after", run: after.run },
      ],
    });
    const failure = failureOf(flow.run({ signal: abort.signal }));
    abort.abort();
    await failure;
    late.resolve();
    await new Promise((resolve) => setImmediate(resolve));

    expect(after.calls()).toBe(0);
  });

  it("fails with limit_exceeded by the workflow's or the call's limits of time or tokens", async () => {
    const slow = new Workflow({
      name: "slow",
      initialState: {},
      limits: { durationMs: 5 },
      steps: [{ name: "deaf", run: () => new Promise<void>(() => {}) }],
    });
    const agent = new Agent({ name: "a", model: new ScriptedModel("one", "two") });
    const dear = new Workflow({
      name: "dear",
      initialState: {},
      steps: [
        { name: "one", agent, inputFrom: () => "go" },
        { name: "two", agent },
      ],
    });

    expect((await failureOf(slow.run())).code).toBe("limit_exceeded");
    const { code, result } = await failureOf(dear.run({ limits: { totalTokens: scriptedUsage.totalTokens } }));
    expect([code, result.usage.totalTokens]).toEqual(["limit_exceeded", 2 * scriptedUsage.totalTokens]);
  });
});
