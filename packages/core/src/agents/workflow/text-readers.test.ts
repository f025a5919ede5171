import { describe, expect, it } from "vitest";
import { Agent } from "../agent/agent.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Workflow } from "./workflow.ts";
import type { WorkflowStep } from "./workflow-step.ts";

type State = Record<string, unknown>;
type Steps = readonly WorkflowStep<State>[];

const agent = () => new Agent({ name: "a", model: new ScriptedModel({ text: "Yes." }, { text: "Yes." }) });
const ask = (name: string) => ({ name, agent: agent() });
const askFor = (name: string) => ({ name, agent: agent(), inputFrom: () => "What?" });
const compute = (name: string) => ({ name, run: (state: State) => ({ [name]: Object.keys(state).length }) });
const quote = (name: string) => ({ name, run: (_: State, { text }: { text: string }) => ({ [name]: text }) });
const when = (name: string, ...steps: Steps) => ({ name, condition: () => true, steps });
const both = (name: string, ...parallel: Steps) => ({ name, parallel });

function flowOf(steps: Steps): Workflow<State> {
  return new Workflow<State>({ name: "flow", initialState: {}, steps });
}

describe("a text for a workflow", () => {
  it.each<[string, Steps]>([
    ["functions of the state", [compute("f")]],
    ["an agent with inputFrom", [askFor("a")]],
    ["an agent behind another agent's answer", [askFor("a"), ask("b")]],
    ["an agent behind a parallel agent", [both("p", askFor("a"), compute("f")), ask("b")]],
    ["steps under a condition", [when("c", compute("f"), askFor("a"))]],
  ])("is refused with only %s", async (_, steps) => {
    const flow = flowOf(steps);
    const refused = { code: "invalid_request", message: expect.stringContaining("an object with keys of its state") };

    await expect(flow.run({ input: "Grüße" })).rejects.toMatchObject(refused);
    expect(() => flow.stream({ input: "Grüße" })).toThrow(expect.objectContaining(refused));
    expect(await flow.run({ input: {} })).toMatchObject({ status: "completed" });
  });

  it.each<[string, Steps]>([
    ["an agent", [ask("a")]],
    ["an agent behind a function", [compute("f"), ask("a")]],
    ["a function of the text", [quote("q")]],
    ["a function that passes on all it gets", [{ name: "w", run: (...all: unknown[]) => ({ w: all.length }) }]],
    ["an agent behind an answer that a condition may leave out", [when("c", askFor("a")), ask("b")]],
    ["an agent under a condition", [when("c", ask("a"))]],
    ["one of several parallel steps", [both("p", compute("f"), ask("a"))]],
  ])("is taken with %s", async (_, steps) => {
    expect(await flowOf(steps).run({ input: "Grüße" })).toMatchObject({ status: "completed" });
  });

  it("begins a workflow that is run as a runnable, whatever its steps read", async () => {
    expect(
      (
        await flowOf([compute("f")])
          .asRunnable()
          .run("Begin.")
      ).text,
    ).toBe('{"f":0}');
  });
});
