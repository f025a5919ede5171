import { describe, expect, it } from "vitest";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { agentOf, agentOn, asked } from "./test/agents.ts";
import { failureOf } from "./test/failures.ts";
import type { WorkflowStep } from "./workflow-step.ts";
import { Workflow } from "./workflow.ts";

type State = { n: number; list: unknown[]; [key: string]: unknown };

function flowOf(steps: readonly WorkflowStep<State>[]) {
  return new Workflow<State>({ name: "flow", initialState: { n: 0, list: [] }, steps });
}

describe("a step with a workflow", () => {
  const inner = new Workflow({
    name: "inner",
    initialState: { word: "", length: 0 },
    steps: [{ name: "measure", run: ({ word }) => ({ length: word.length }) }],
  });

  it("keeps the inner state under its name, or merges what write returns", async () => {
    const flow = flowOf([
      { name: "inner", workflow: inner, inputFrom: () => ({ word: "rain" }) },
      {
        name: "written",
        workflow: inner,
        inputFrom: () => ({ word: "snow!" }),
        write: (last, { n }) => ({ n: n + Number(last["length"]) }),
      },
    ]);

    const { state, steps } = await flow.run({ input: { n: 1 } });
    expect(state).toEqual({ n: 6, list: [], inner: { word: "rain", length: 4 } });
    expect(steps[1]).toMatchObject({ name: "written", output: { word: "snow!", length: 5 } });
  });

  it("passes the run's text on, and its answer", async () => {
    const model = new ScriptedModel("one", "two");
    const spoken = new Workflow({ name: "spoken", initialState: {}, steps: [{ name: "say", agent: agentOn(model) }] });
    const flow = flowOf([
      { name: "spoken", workflow: spoken },
      { name: "next", agent: agentOn(model) },
    ]);

    expect((await flow.run({ input: "Go." })).state).toMatchObject({ spoken: { say: "one" }, next: "two" });
    expect(asked(model)).toEqual(["Go.", "one"]);
  });

  it("refuses what write must not return", async () => {
    const flow = flowOf([{ name: "w", workflow: inner, inputFrom: () => ({}), write: () => [] as object }]);

    expect(await failureOf(flow.run())).toMatchObject({
      code: "invalid_value",
      message: expect.stringMatching(/write\(\) must return/),
    });
  });
});

describe("the first argument of run and stream", () => {
  const flow = () => flowOf([{ name: "say", agent: agentOf("Hello.") }]);

  it("is a message in the runnable form", async () => {
    const output = await flow().run("Hi.", { sessionId: "s" });
    const texts: string[] = [];
    for await (const text of flow().stream([{ type: "text", text: "Hi." }]).textStream) texts.push(text);

    expect(output).toMatchObject({ text: "Hello.", sessionId: "s", structured: { n: 0, say: "Hello." } });
    expect(texts.join("")).toBe("Hello.");
  });

  it("is otherwise the options, which nothing may follow", async () => {
    const untyped = flow() as { run(...given: unknown[]): Promise<unknown> };

    expect(await flow().run({ input: "Hi." })).toMatchObject({ state: { say: "Hello." } });
    await expect(untyped.run({ n: 1 }, {})).rejects.toThrow(/takes its options first/);
    await expect(untyped.run({ n: 1 })).rejects.toThrow(/Unknown option "n" of the run/);
  });
});

describe("the stream of a workflow with rounds and items", () => {
  it("has the paths of the steps, and the chunks of each agent", async () => {
    const model = new ScriptedModel().respond(() => "Hi.");
    const flow = flowOf([{ name: "each", forEach: () => [1, 2], steps: [{ name: "say", agent: agentOn(model) }] }]);
    const events: string[] = [];
    for await (const event of flow.stream()) {
      if (event.type !== "finish" && !(event.type === "chunk" && event.chunk.type !== "text"))
        events.push(`${event.type} ${event.step}`);
    }

    const item = (number: number) => [
      `step_start each/${number}`,
      `step_start each/${number}/say`,
      `chunk each/${number}/say`,
      `step_end each/${number}/say`,
      `step_end each/${number}`,
    ];
    expect(events).toEqual(["step_start each", ...item(0), ...item(1), "step_end each"]);
  });

  it.each<[string, WorkflowStep<State>]>([
    ["a forEach", { name: "each", forEach: () => [1, 2], agent: agentOf("a", "b") }],
    [
      "a loop",
      { name: "up", loop: [{ name: "say", agent: agentOf("a", "b") }], until: ({ say }) => say === "b", maxRounds: 2 },
    ],
    [
      "a choice",
      {
        name: "pick",
        choose: () => 1,
        cases: { 0: [{ name: "x", agent: agentOf() }], 1: [{ name: "say", agent: agentOf("b") }] },
      },
    ],
  ])("has the answer of %s as one chunk at the end, in the runnable form", async (form, step) => {
    const texts: string[] = [];
    for await (const chunk of flowOf([step]).stream("Go.")) if (chunk.type === "text") texts.push(chunk.text);

    expect(texts).toEqual([form === "a forEach" ? "a\n\nb" : "b"]);
  });
});
