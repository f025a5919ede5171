import { describe, expect, it } from "vitest";
import { Agent } from "../agent/agent.ts";
import type { RunContext } from "../run/run-context.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Workflow } from "./workflow.ts";

function flowOf() {
  const [first, second] = [new ScriptedModel("one"), new ScriptedModel("two")];
  const contexts: RunContext[] = [];
  const hooks = { beforeRun: (context: RunContext) => void contexts.push(context) };
  const [one, two] = [
    new Agent({ name: "one", model: first, temperature: 0.9, hooks }),
    new Agent({ name: "two", model: second, hooks }),
  ];
  const flow = new Workflow({
    name: "flow",
    initialState: {},
    limits: { totalTokens: 1_000_000 },
    steps: [
      { name: "one", agent: one, inputFrom: () => "go" },
      { name: "own", run: (_state, context) => void contexts.push(context) },
      { name: "two", agent: two },
    ],
  });
  return { flow, contexts, models: [first, second] };
}

describe("the options of a workflow's run", () => {
  it.each(["run", "stream", "asRunnable"] as const)(
    "give model options to each agent step (%s) [model-options.workflow]",
    async (way) => {
      const { flow, models } = flowOf();
      const modelOptions = { temperature: 0.4, maxTokens: 70 };
      if (way === "run") await flow.run({ modelOptions });
      if (way === "stream") await Array.fromAsync(flow.stream({ modelOptions }));
      if (way === "asRunnable") await flow.asRunnable().run("go", { modelOptions });

      const given = models.flatMap(({ calls }) => calls.map(({ options }) => options));
      expect(given).toHaveLength(2);
      for (const options of given) expect(options).toMatchObject(modelOptions);
    },
  );

  it("reach the contexts of all steps [run-opts.metadata-everywhere] [run-context.tenant]", async () => {
    const { flow, contexts } = flowOf();
    await flow.run({ metadata: { plan: "pro" }, userId: "ada", tenantId: "acme" });

    expect(contexts).toHaveLength(3);
    for (const context of contexts) expect(context).toMatchObject({ metadata: { plan: "pro" }, tenantId: "acme" });
  });

  it("end a run over its limits, before the configured ones [run-opts.limits]", async () => {
    const { flow } = flowOf();

    await expect(flow.run({ limits: { totalTokens: 1 } })).rejects.toMatchObject({ code: "limit_exceeded" });
  });

  it.each(["model", "instructions", "tools"] as const)(
    "have no %s, which is one agent's [run-opts.own-refused]",
    async (name) => {
      const { flow, models } = flowOf();
      const given = { model: new ScriptedModel("x"), instructions: "Be short.", tools: [] };
      const opts = { [name]: given[name] };
      const message = `${name} must be left out of a run of a workflow, which may have several agents. Give it to the agent of a step.`;

      await expect(flow.run(opts)).rejects.toMatchObject({ code: "invalid_request", message });
      expect(() => flow.stream(opts)).toThrow(message);
      await expect(flow.asRunnable().run("go", opts)).rejects.toThrow(message);
      expect(models[0]?.calls).toEqual([]);
    },
  );

  it("refuse unknown settings before a step runs [model-options.unknown]", async () => {
    const { flow, models } = flowOf();

    await expect(flow.run({ modelOptions: { seeed: 1 } as object })).rejects.toThrow(/Unknown option "seeed"/);
    expect(models[0]?.calls).toEqual([]);
  });
});
