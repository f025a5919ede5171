import { describe, expect, it } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { EventBus } from "../../base/events/event-bus.ts";
import { resolveRunOpts } from "../run/resolve-run-opts.ts";
import type { RunEvents } from "../run/run-events.ts";
import { Run } from "../run/run.ts";
import { attemptStep } from "./step-attempt.ts";
import type { StepWork } from "./step-attempt.ts";
import type { StateChange } from "./state-change.ts";
import type { StateRecord } from "./state-shape.ts";
import type { RetryPolicy } from "./workflow-config.ts";
import type { StepEvent } from "./workflow-result.ts";
import { StepTrace } from "./step-trace.ts";

const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };
const limited = () => new TroupeError("rate_limited", "Too fast.");
const withText = (text: unknown) => Object.assign(limited(), { output: { text } });

type Part = Partial<StepWork<string>> & Pick<StepWork<string>, "work">;

/** Attempts a step, and keeps its events and the changes of the state. */
function attempting(part: Part, { retryPolicy, message }: { retryPolicy?: RetryPolicy; message?: string } = {}) {
  const settings = resolveRunOpts({ userId: "ada" });
  const run = new Run<StateRecord>({ name: "flow", input: "Hi", settings, eventBus: new EventBus<RunEvents>() });
  const events: StepEvent[] = [];
  const changes: StateChange[] = [];
  const { signal } = new AbortController();
  const observer = {
    wantsChunks: () => false,
    allowsRepeat: true,
    onEvent: (event: StepEvent) => void events.push(event),
  };
  const trace = new StepTrace();
  const scope = {
    before: { state: {}, message },
    signal,
    onChange: (change: StateChange) => void changes.push(change),
  };
  const end = attemptStep({ run, retryPolicy, trace, observer }, trace.start("a"), {
    mayRepeat: () => true,
    scope,
    ...part,
  });
  return { end, run, events, changes, signal };
}

describe("attemptStep", () => {
  it("gives each attempt a context and a meter of its own, whose usage counts for the run", async () => {
    const seen: unknown[] = [];
    const totals: number[] = [];
    let calls = 0;
    const { end, run, events, signal } = attempting(
      {
        work: async ({ context, meter }) => {
          seen.push(context);
          meter.add(usage);
          totals.push(meter.total.totalTokens);
          if (++calls < 3) throw limited();
          return await Promise.resolve("done");
        },
      },
      { retryPolicy: { maxRetries: 2, backoffMs: 0 }, message: "Hi" },
    );

    expect(await end).toBe("done");
    const context = { userId: "ada", text: "Hi", signal, idempotencyKey: `${run.runId}/a` };
    expect(seen).toMatchObject([context, context, context]);
    expect(new Set(seen).size).toBe(3);
    expect([totals, run.meter.total.totalTokens]).toEqual([[3, 3, 3], 9]);
    expect(events).toEqual([
      { type: "step_retry", step: "a" },
      { type: "step_retry", step: "a" },
    ]);
  });

  it("has an empty text without a message, and makes one attempt without a policy", async () => {
    const texts: string[] = [];
    const { end, events } = attempting({
      work: async ({ context }) => await Promise.reject((texts.push(context.text), limited())),
    });

    await expect(end).rejects.toMatchObject({ code: "rate_limited" });
    expect([texts, events]).toEqual([[""], []]);
  });

  it.each<[string, true | undefined, unknown, StateChange[]]>([
    ["keeps the text of a child run that failed", true, withText("Half"), [{ partial: {}, text: "Half" }]],
    ["keeps no empty text", true, withText(""), []],
    ["keeps no text of another error", true, limited(), []],
    ["keeps no text of a step that does not say so", undefined, withText("Half"), []],
  ])("%s", async (...[, keepsText, error, expected]) => {
    const { end, changes } = attempting({ ...(keepsText && { keepsText }), work: () => Promise.reject(error) });

    await expect(end).rejects.toBeInstanceOf(Error);
    expect(changes).toEqual(expected);
  });
});
