import { describe, expect, it } from "vitest";
import { Agent } from "../agent/agent.ts";
import { EventBus } from "../../base/events/event-bus.ts";
import type { RunEvents } from "../run/run-events.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import type { WorkflowConfig } from "./workflow-config.ts";
import { Workflow } from "./workflow.ts";

const agent = new Agent({ name: "a", model: new ScriptedModel() });
const run = () => {};
const condition = () => true;

function refusalOf(config: object): string {
  const right: WorkflowConfig<object> = { name: "flow", initialState: { n: 1 }, steps: [] };
  let thrown: unknown;
  try {
    expect(new Workflow({ ...right, ...config })).toBeUndefined();
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toMatchObject({ code: "invalid_config" });
  return (thrown as Error).message;
}

describe("the configuration of a workflow", () => {
  it.each([
    [{ name: " " }, /^name must be/],
    [{ name: undefined }, /^name must be/],
    [{ description: 1 }, /^description must be/],
    [{ initialState: [] }, /^initialState must be an object, got an array/],
    [{ initialState: { at: new Date(0) } }, /^initialState\.at is a Date, which JSON cannot hold: use its toISOString/],
    [{ steps: {} }, /^steps must be an array of steps/],
    [{ retryPolicy: { maxRetries: 1 } }, /^retryPolicy\.backoffMs must be/],
    [{ retryPolicy: { maxRetries: -1, backoffMs: 1 } }, /^retryPolicy\.maxRetries must be/],
    [{ retryPolicy: { maxRetries: 1, backoffMs: 1, factor: 2 } }, /^Unknown option "factor" of retryPolicy/],
    [{ eventBus: {} }, /^eventBus must be an EventBus/],
    [{ logLevel: "loud" }, /^logLevel must be/],
    [{ limits: { tokens: 1 } }, /^Unknown option "tokens" of limits. Expected durationMs or totalTokens/],
    [{ retries: 3 }, /Unknown option "retries" of workflow "flow". Expected name, description/],
  ])("refuses %o", (config, sentence) => {
    expect(refusalOf(config)).toMatch(sentence);
  });

  it("accepts an event bus, and makes one by default", () => {
    const eventBus = new EventBus<RunEvents>();
    const config = { name: "flow", initialState: {}, steps: [] };

    expect(new Workflow({ ...config, eventBus }).eventBus).toBe(eventBus);
    expect(new Workflow(config).eventBus).not.toBe(new Workflow(config).eventBus);
  });
});

describe("the steps of a workflow", () => {
  it.each([
    [["go"], /^steps\[0\] must be a step/],
    [[{ run }], /^steps\[0\]\.name must be a string/],
    [[{ name: "", run }], /^steps\[0\]\.name must be a string/],
    [[{ name: "\ud800", run }], /^steps\[0\]\.name must be a string/],
    [[{ name: "s" }], /^steps\[0\] \(the step "s"\) has no form. Expected one of agent, run, condition, parallel/],
    [[{ name: "s", run, agent }], /\(the step "s"\) has both agent and run/],
    [[{ name: "s", run, parallel: [] }], /\(the step "s"\) has both run and parallel/],
    [
      [{ name: "s", run, inputFrom: run }],
      /^Unknown field "inputFrom" in steps\[0\] \(the step "s"\)\. With run, expected name, run, effect\./,
    ],
    [
      [{ name: "s", agent, input: "x" }],
      /^Unknown field "input" in steps\[0\] \(the step "s"\)\. With agent, expected name, agent, inputFrom\./,
    ],
    [
      [{ name: "s", run, effect: "twice" }],
      /^steps\[0\] \(the step "s"\)\.effect must be "pure", "idempotent" or "once"/,
    ],
    [[{ name: "s", run: "go" }], /\(the step "s"\)\.run must be a function/],
    [[{ name: "s", agent: {} }], /\(the step "s"\)\.agent must be an agent/],
    [[{ name: "s", agent: new Workflow({ name: "w", initialState: {}, steps: [] }) }], /its asRunnable\(\)/],
    [[{ name: "s", agent, inputFrom: "x" }], /\(the step "s"\)\.inputFrom must be a function/],
    [[{ name: "s", condition: true, steps: [] }], /\(the step "s"\)\.condition must be a function/],
    [[{ name: "s", condition }], /\(the step "s"\)\.steps must be an array of steps/],
    [[{ name: "s", parallel: {} }], /\(the step "s"\)\.parallel must be an array of steps/],
    [[{ name: "s", parallel: [{ name: "t" }] }], /parallel\[0\] \(the step "t"\) has no form/],
  ])("refuse %o", (steps, sentence) => {
    expect(refusalOf({ steps })).toMatch(sentence);
  });

  it("must have unique names in the whole workflow", () => {
    const steps = [
      { name: "twice", run },
      { name: "c", condition, steps: [{ name: "p", parallel: [{ name: "twice", run }] }] },
    ];

    expect(refusalOf({ steps })).toMatch(/parallel\[0\]\.name is "twice", the name of another step/);
  });

  it("do not change when the configuration is modified later", async () => {
    const steps = [{ name: "s", run: () => ({ n: 2 }) }];
    const flow = new Workflow({ name: "flow", initialState: { n: 1 }, steps });
    steps.pop();

    expect((await flow.run()).state).toEqual({ n: 2 });
  });
});

it("WorkflowConfig has the kinds of values that an input may set", () => {
  const initialState = { city: "Oslo", days: 2, tags: [], answer: null };

  expect([...new Workflow({ name: "w", initialState, steps: [{ name: "s", run }] }).inputKinds]).toEqual([
    ["city", "string"],
    ["days", "number"],
    ["tags", "list"],
    ["answer", "open"],
  ]);
});
