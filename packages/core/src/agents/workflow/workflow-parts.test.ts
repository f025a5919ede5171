import { describe, expect, it } from "vitest";
import { Agent } from "../agent/agent.ts";
import { EventBus } from "../../base/events/event-bus.ts";
import type { RunEvents } from "../run/run-events.ts";
import type { RunOpts } from "../run/run-options.ts";
import type { Runnable } from "../run/runnable.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { runUnobserved } from "./run-workflow.ts";
import type { WorkflowConfig } from "./workflow-config.ts";
import { requireOptionsObject, WorkflowParts } from "./workflow-parts.ts";
import { Workflow } from "./workflow.ts";
import type { WorkflowStep } from "./workflow-step.ts";

class VendorModel extends ScriptedModel {
  override readonly providerId: string;

  constructor(providerId: string) {
    super();
    this.providerId = providerId;
  }
}

const agentOf = (providerId: string) => new Agent({ name: providerId, model: new VendorModel(providerId) });
const run = () => {};
const condition = () => true;
const partsOf = (steps: WorkflowStep<object>[], more: Partial<WorkflowConfig<object>> = {}) =>
  new WorkflowParts({ name: "flow", initialState: { n: 1 }, steps, ...more });
const refusal = (message: string) => expect.objectContaining({ code: "invalid_request", message });

describe("WorkflowParts", () => {
  it("lists all steps with the steps that they are nested in", () => {
    const agent = agentOf("one");
    const parts = partsOf([
      { name: "a", agent, inputFrom: () => "x" },
      {
        name: "w",
        condition,
        steps: [
          { name: "p", parallel: [{ name: "b", run, effect: "pure" }] },
          { name: "c", agent },
        ],
      },
      { name: "d", run },
    ]);

    expect(parts.plannedSteps).toStrictEqual([
      { name: "a", kind: "agent", agent },
      { name: "w", kind: "condition" },
      { name: "p", kind: "parallel", within: "w" },
      { name: "b", kind: "function", effect: "pure", within: "p" },
      { name: "c", kind: "agent", agent, within: "w" },
      { name: "d", kind: "function" },
    ]);
    expect(parts.plannedSteps).toBe(parts.plannedSteps);
  });

  it("lists the steps of each case of a choice with its key, and those of otherwise without one", () => {
    const parts = partsOf([
      {
        name: "pick",
        choose: () => "é",
        cases: {
          é: [{ name: "loop", loop: [{ name: "in", run }], while: condition, maxRounds: 2 }],
          "": [{ name: "empty", run }],
        },
        otherwise: [{ name: "other", run }],
      },
    ]);

    expect(parts.plannedSteps).toStrictEqual([
      { name: "pick", kind: "choose" },
      { name: "loop", kind: "loop", within: "pick", case: "é" },
      { name: "in", kind: "function", within: "loop" },
      { name: "empty", kind: "function", within: "pick", case: "" },
      { name: "other", kind: "function", within: "pick" },
    ]);
  });

  it("has the vendors of all agents, each once, also of nested workflows", () => {
    const steps: WorkflowStep<object>[] = [
      { name: "in", agent: agentOf("two") },
      { name: "in2", agent: agentOf("three") },
    ];
    const inner = new Workflow({ name: "inner", initialState: {}, steps }).asRunnable();
    const stop = () => expect.unreachable();
    const remote: Runnable = {
      name: "d",
      kind: "remote",
      eventBus: new EventBus<RunEvents>(),
      run: stop,
      stream: stop,
    };
    const parts = partsOf([
      { name: "a", agent: agentOf("one") },
      {
        name: "p",
        parallel: [
          { name: "b", agent: agentOf("one") },
          { name: "c", agent: inner },
        ],
      },
      { name: "d", agent: remote },
      { name: "e", run },
    ]);

    expect(parts.providerIds).toEqual(["one", "two", "three"]);
    expect(partsOf([{ name: "e", run }]).providerIds).toEqual([]);
  });

  it("takes a text where a step reads one", () => {
    const reading = partsOf([{ name: "a", agent: agentOf("one") }]);
    const deaf = partsOf([{ name: "a", agent: agentOf("one"), inputFrom: () => "x" }]);
    const message = 'No step of the workflow "flow" reads a text. Send input as an object with keys of its state.';

    expect([reading.readsText, deaf.readsText]).toEqual([true, false]);
    expect(() => reading.checkText({ message: "Hi" })).not.toThrow();
    expect(() => deaf.checkText({ message: "" })).toThrow(refusal(message));
    for (const start of [{}, { input: {} }]) expect(() => deaf.checkText(start)).not.toThrow();
  });

  it("plans a run with its state, its message and settings of its own", () => {
    const retryPolicy = { maxRetries: 2, backoffMs: 1 };
    const parts = partsOf([{ name: "e", run }], { retryPolicy });
    retryPolicy.maxRetries = 9;
    const [bare, spoken, given] = [{}, { message: "Hi" }, { input: { n: 2 } }].map((start) =>
      parts.plan(start, {}, runUnobserved),
    );

    expect(bare?.plan).toMatchObject({
      start: { n: 1 },
      message: undefined,
      retryPolicy: { maxRetries: 2, backoffMs: 1 },
    });
    expect(spoken?.plan).toMatchObject({ start: { n: 1 }, message: "Hi" });
    expect(given?.plan).toMatchObject({ start: { n: 2 }, message: undefined });
    expect(bare?.plan.trace).not.toBe(spoken?.plan.trace);
    expect(bare?.execution.runId).not.toBe(spoken?.execution.runId);
  });

  it("keeps its limits when the application changes its own object", async () => {
    const limits = { totalTokens: 1 };
    const agent = new Agent({ name: "a", model: new ScriptedModel("Hi.") });
    const flow = new Workflow({ name: "flow", initialState: {}, steps: [{ name: "a", agent }], limits });
    limits.totalTokens = 1_000_000;

    await expect(flow.run({ input: "Hi" })).rejects.toMatchObject({ code: "limit_exceeded" });
  });

  it("tells of the input of a run in its first event", async () => {
    const eventBus = new EventBus<RunEvents>();
    const seen: unknown[] = [];
    eventBus.on("run.start", ({ agentName, input }) => void seen.push([agentName, input]));
    const parts = partsOf([{ name: "e", run }], { eventBus });
    for (const start of [{}, { message: "Hi" }, { input: { n: 2 } }])
      await parts.plan(start, {}, runUnobserved).execution.run();

    expect(seen).toEqual([
      ["flow", ""],
      ["flow", "Hi"],
      ["flow", '{"n":2}'],
    ]);
  });

  it("takes a generic key where the agents have one vendor at most", () => {
    const one = partsOf([{ name: "a", agent: agentOf("one") }]);
    const two = partsOf([
      { name: "a", agent: agentOf("one") },
      { name: "b", agent: agentOf("two") },
    ]);
    const known = partsOf([
      { name: "a", agent: agentOf("openai") },
      { name: "b", agent: agentOf("two") },
    ]);
    const opts: RunOpts = { apiKey: "secret" };
    const begin = (names: string) =>
      `apiKey could be for any of ${names}: the agents of this workflow have several vendors. Send a key per vendor, in `;

    expect(() => one.plan({}, opts, runUnobserved)).not.toThrow();
    expect(() => partsOf([]).plan({}, opts, runUnobserved)).not.toThrow();
    expect(() => two.plan({}, { apiKeys: { one: "x" } }, runUnobserved)).not.toThrow();
    expect(() => two.plan({}, opts, runUnobserved)).toThrow(
      refusal(`${begin("one, two")}apiKeys or the headers x-one-api-key, x-two-api-key.`),
    );
    expect(() => known.plan({}, opts, runUnobserved)).toThrow(
      refusal(`${begin("openai, two")}apiKeys or the headers x-openai-api-key, x-two-api-key.`),
    );
  });

  it("refuses a conversation, and options that are none", () => {
    const parts = partsOf([{ name: "e", run }]);
    const message = "A workflow has no conversation: messages must be left out. Give them to an agent or a team.";

    expect(() => parts.plan({}, { messages: [] }, runUnobserved)).toThrow(refusal(message));
    for (const wrong of [null, undefined, "x", []]) {
      expect(() => requireOptionsObject(wrong)).toThrow(refusal("The run options must be an object."));
    }
    expect(() => requireOptionsObject({})).not.toThrow();
  });
});
