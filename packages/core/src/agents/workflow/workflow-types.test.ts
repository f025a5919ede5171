import { expectTypeOf, it } from "vitest";
import { Agent } from "../agent/agent.ts";
import type { Runnable } from "../run/runnable.ts";
import type { StructuredRunOutput } from "../run/run-output.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import type { WorkflowChunk, WorkflowResult, WorkflowState } from "./workflow-result.ts";
import type { StepContext } from "./workflow-step.ts";
import { Workflow } from "./workflow.ts";

type State = { count: number; tags: string[] };

const initialState = { count: 0, tags: [] as string[] };
const agent = new Agent({ name: "a", model: new ScriptedModel() });

it("a workflow's type gives every step the state's type, through all forms", () => {
  const flow = new Workflow({
    name: "flow",
    initialState: { count: 0, tags: [] as string[] },
    steps: [
      { name: "ask", agent, inputFrom: (state) => state.tags.join() },
      { name: "add", run: (state) => ({ count: state.count + 1 }) },
      { name: "later", run: async (state) => await Promise.resolve({ tags: [...state.tags, "x"] }) },
      { name: "nothing", run: (_state, context) => void expectTypeOf(context).toEqualTypeOf<StepContext>() },
      {
        name: "when",
        condition: (state) => state.count > 1,
        steps: [
          {
            name: "both",
            parallel: [
              { name: "deep", run: (state) => void expectTypeOf(state).toEqualTypeOf<WorkflowState<State>>() },
            ],
          },
        ],
      },
    ],
  });

  expectTypeOf(flow).toEqualTypeOf<Workflow<State>>();
  expectTypeOf(() => flow.run()).returns.resolves.toEqualTypeOf<WorkflowResult<State>>();
  expectTypeOf(flow.stream()).toExtend<AsyncIterable<WorkflowChunk<State>>>();
  expectTypeOf(() => flow.run({ input: { count: 1 } })).returns.resolves.toHaveProperty("state");
  expectTypeOf(() => flow.run({ input: "Go." })).returns.resolves.toHaveProperty("state");
  expectTypeOf<WorkflowResult<State>["state"]["ask"]>().toBeUnknown();
});

it("a workflow's type takes the state's type from an interface too", () => {
  interface Written {
    title: string;
    body?: string;
  }
  const start: Written = { title: "" };
  const flow = new Workflow({ name: "flow", initialState: start, steps: [{ name: "w", run: () => ({ body: "b" }) }] });

  expectTypeOf(flow).toEqualTypeOf<Workflow<Written>>();
  expectTypeOf(flow).toExtend<Workflow<object>>();
  expectTypeOf(flow.asRunnable()).toExtend<Runnable<StructuredRunOutput<Written>>>();
});

it("a workflow's type rejects a return value with a wrong key or a wrong type", () => {
  const [name, common] = ["s", { name: "flow", initialState }];
  const refused = () => [
    // @ts-expect-error there is no such key
    new Workflow({ ...common, steps: [{ name, run: () => ({ cuont: 1 }) }] }),
    // @ts-expect-error count is a number
    new Workflow({ ...common, steps: [{ name, run: () => ({ count: "1" }) }] }),
    // @ts-expect-error tags are texts, also when they come later
    new Workflow({ ...common, steps: [{ name, run: () => Promise.resolve({ tags: [1] }) }] }),
    // @ts-expect-error a text is no part of the state
    new Workflow({ ...common, steps: [{ name, run: () => "1" }] }),
    // @ts-expect-error the state has no such key
    new Workflow({ ...common, steps: [{ name, condition: (state) => state.cuont > 1, steps: [] }] }),
    // @ts-expect-error inputFrom gives a text
    new Workflow({ ...common, steps: [{ name, agent, inputFrom: (state) => state.count }] }),
    // @ts-expect-error also deep within
    new Workflow({ ...common, steps: [{ name, parallel: [{ name, run: () => ({ count: "1" }) }] }] }),
    // @ts-expect-error the input is a part of the state
    new Workflow({ ...common, steps: [] }).stream({ input: { count: "1" } }),
  ];

  expectTypeOf(refused).toBeFunction();
});
