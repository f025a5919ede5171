import { describe, expect, it } from "vitest";
import { Agent } from "../agent/agent.ts";
import { ScriptedModel } from "../testing/scripted-model.ts";
import { agentOf, agentOn, asked } from "./test/agents.ts";
import { Workflow } from "./workflow.ts";

describe("an agent step", () => {
  it("runs an agent and writes its text to the state's key of the step's name [workflow.agent-step]", async () => {
    const flow = new Workflow({
      name: "flow",
      initialState: { draft: "", other: "kept" },
      steps: [
        { name: "draft", agent: agentOf("Dear all,") },
        { name: "unseen", agent: agentOf("Not in the state.") },
      ],
    });

    expect((await flow.run({ input: { draft: "about rain" } })).state).toEqual({ draft: "Dear all,", other: "kept" });
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

  it("fails with a hint at inputFrom when its agent has no input", async () => {
    const flow = new Workflow({ name: "flow", initialState: {}, steps: [{ name: "write", agent: agentOf() }] });

    await expect(flow.run()).rejects.toMatchObject({ code: "invalid_request", fields: { step: "write" } });
    await expect(flow.run()).rejects.toThrow(/"write" failed: .*inputFrom/);
  });

  it("writes structured output to a key whose initial value is not a string", async () => {
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

    expect((await flow.run()).state).toEqual({ open: { score: 7 }, form: { score: 7 }, words: '{"score":7}' });
  });

  it("accepts a text that ends in half a surrogate pair", async () => {
    const agent = agentOf({ text: ["Rain \ud83c"] });
    const steps = [{ name: "say", agent, inputFrom: () => "go" }];

    expect((await new Workflow({ name: "flow", initialState: { say: "" }, steps }).run()).state.say).toBe(
      "Rain \ufffd",
    );
  });

  it("fails when its answer is text and the initial value an object", async () => {
    const flow = new Workflow({
      name: "flow",
      initialState: { form: { score: 0 } },
      steps: [{ name: "form", agent: agentOf("seven"), inputFrom: () => "Judge." }],
    });

    await expect(flow.run()).rejects.toThrow(/"form" failed: .*structuredOutput/);
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
});
