import { describe, expect, it } from "vitest";
import { Agent } from "../agent/agent.ts";
import type { RunContext } from "../run/run-context.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { defineTool } from "../tool/define-tool.ts";
import { agentOf, agentOn, asked } from "./test/agents.ts";
import { Workflow } from "./workflow.ts";
import type { FunctionStep } from "./workflow-step.ts";

describe("an agent step", () => {
  it("writes its answer to the state, also without an initial value, and to its step's output [workflow.agent-step] [workflow.answers]", async () => {
    const flow = new Workflow({
      name: "flow",
      initialState: { draft: "", other: "kept" },
      steps: [
        { name: "draft", agent: agentOf("Dear all,") },
        { name: "unseen", agent: agentOf("Not in the state.") },
      ],
    });

    const { state, steps } = await flow.run({ input: { draft: "about rain" } });

    expect(state).toEqual({ draft: "Dear all,", other: "kept", unseen: "Not in the state." });
    expect(steps.map(({ output }) => output)).toEqual(["Dear all,", "Not in the state."]);
  });

  it("gives the agent the result of inputFrom as input [workflow.input-from]", async () => {
    const model = new ScriptedModel("A poem.");
    const flow = new Workflow({
      name: "flow",
      initialState: { topic: "rain" },
      steps: [{ name: "write", agent: agentOn(model), inputFrom: ({ topic }) => `Write about ${topic}.` }],
    });
    await flow.run();

    expect(asked(model)).toEqual(["Write about rain."]);
  });

  it("gives the agent the last answer as input without inputFrom, and the workflow's input before there is one", async () => {
    const [first, second] = [new ScriptedModel("Rain falls."), new ScriptedModel("It rains.")];
    const flow = new Workflow({
      name: "flow",
      initialState: { topic: "" },
      steps: [
        { name: "write", agent: agentOn(first) },
        { name: "between", run: () => ({ topic: "changed" }) },
        { name: "edit", agent: agentOn(second) },
      ],
    });
    await flow.run({ input: { topic: "rain" } });

    expect([asked(first), asked(second)]).toEqual([['{"topic":"rain"}'], ["Rain falls."]]);
  });

  it("gives the agent the state as JSON as input when there is no other", async () => {
    const model = new ScriptedModel("Rain.", "Wind.");
    const flow = new Workflow({
      name: "flow",
      initialState: { days: 2 },
      steps: [{ name: "w", agent: agentOn(model) }],
    });
    await flow.run();
    await flow.run({ input: { days: 3 }, sessionId: "s1" });

    expect(asked(model)).toEqual(['{"days":2}', '{"days":3}']);
  });

  it("gives the first agent a text input", async () => {
    const model = new ScriptedModel("Rain.");
    const flow = new Workflow({
      name: "flow",
      initialState: { days: 2 },
      steps: [{ name: "w", agent: agentOn(model) }],
    });
    await flow.run({ input: "And tomorrow?" });

    expect(asked(model)).toEqual(["And tomorrow?"]);
  });

  it("gives the agent the answers of parallel steps as input, in written order", async () => {
    const model = new ScriptedModel("Both.");
    const parallel = [
      { name: "one", agent: agentOf({ text: "First.", delayMs: 20 }) },
      { name: "between", run: () => {} },
      { name: "two", agent: agentOf("Second.") },
    ];
    const steps = [
      { name: "all", parallel },
      { name: "sum", agent: agentOn(model) },
    ];
    const { state } = await new Workflow({ name: "flow", initialState: {}, steps }).run({ input: "Go." });

    expect(asked(model)).toEqual(["First.\n\nSecond."]);
    expect(state).toEqual({ one: "First.", two: "Second.", sum: "Both." });
  });

  it("writes structured output to the state and to its output [workflow.answers]", async () => {
    const schema = { type: "object", properties: { score: { type: "number" } }, required: ["score"] } as const;
    const judge = () =>
      new Agent({ name: "judge", model: new ScriptedModel({ structured: { score: 7 } }), structuredOutput: schema });
    const flow = new Workflow({
      name: "flow",
      initialState: { open: null as { score: number } | null, form: { score: 0 }, words: "" },
      steps: [
        { name: "open", agent: judge(), inputFrom: () => "Judge." },
        { name: "form", agent: judge() },
        { name: "words", agent: judge() },
      ],
    });

    const { state, steps } = await flow.run();

    expect(state).toEqual({ open: { score: 7 }, form: { score: 7 }, words: { score: 7 } });
    expect(steps.map(({ output }) => output)).toEqual([{ score: 7 }, { score: 7 }, { score: 7 }]);
  });

  it("accepts a text that ends in half a surrogate pair", async () => {
    const agent = agentOf({ text: ["Rain \ud83c"] });
    const steps = [{ name: "say", agent, inputFrom: () => "go" }];

    expect((await new Workflow({ name: "flow", initialState: { say: "" }, steps }).run()).state.say).toBe(
      "Rain \ufffd",
    );
  });

  it("replaces an initial value of another kind", async () => {
    const steps = [{ name: "form", agent: agentOf("seven"), inputFrom: () => "Judge." }];

    expect((await new Workflow({ name: "flow", initialState: { form: 0 }, steps }).run()).state).toEqual({
      form: "seven",
    });
  });

  it("has a session of its own, the same one for each run in a session of the workflow", async () => {
    const model = new ScriptedModel().respond(() => "fine");
    const agent = agentOn(model);
    const flow = new Workflow({
      name: "flow",
      initialState: {},
      steps: [
        { name: "say it", agent, inputFrom: () => "One." },
        { name: "say more", agent, inputFrom: () => "Two." },
      ],
    });
    for (const sessionId of ["s1", "s2", "s1"]) await flow.run({ sessionId });

    expect(model.calls.map(({ messages }) => messages.length)).toEqual([1, 1, 1, 1, 3, 3]);
  });

  it("shows its tools and hooks the session of the workflow's caller, and keeps its turns in its own", async () => {
    const seen: string[] = [];
    const note = (context: RunContext) => void seen.push(context.sessionId);
    const look = defineTool({
      name: "look",
      description: "Looks.",
      parameters: { type: "object" },
      execute: (_args, context) => {
        note(context);
        return "seen";
      },
    });
    const model = new ScriptedModel({ toolCalls: [{ name: "look" }] }, "done");
    const [storage, hooks] = [new InMemoryStorage(), { beforeRun: note }];
    const agent = new Agent({ name: "helper", model, tools: [look], hooks, storage });
    await new Workflow({ name: "flow", initialState: {}, steps: [{ name: "say it", agent }] }).run({ sessionId: "s1" });

    expect(seen).toEqual(["s1", "s1"]);
    expect((await storage.list("turns")).map(({ key }) => decodeURIComponent(key))).toEqual([
      "-/-/s1#say%20it/000000000001",
    ]);
  });

  it("has a session within the workflow's own where a team opened that", async () => {
    const ids: string[] = [];
    const agent = agentOf("fine");
    agent.eventBus.on("run.complete", ({ output }) => void ids.push(output.sessionId));
    const inner = new Workflow({ name: "inner", initialState: {}, steps: [{ name: "say", agent }] }).asRunnable();
    const run: FunctionStep<object>["run"] = async (_state, parent) => {
      // As a team calls its members.
      await inner.run("Go.", { parent, sessionId: "s1#inner" });
    };
    await new Workflow({ name: "flow", initialState: {}, steps: [{ name: "call", run }] }).run({ sessionId: "s1" });

    expect(ids).toEqual(["s1#inner#say"]);
  });
});
