import { describe, expect, it } from "vitest";
import type { ModelSettings } from "../../model/model-config.ts";
import { callOf, look, scripted, toolNamed } from "./test/agents.ts";

const all = {
  temperature: 0.5,
  topP: 0.9,
  maxTokens: 100,
  stop: ["END"],
  seed: -7,
  parallelToolCalls: false,
  vendor: { openai: { service_tier: "flex" }, "my-gateway": { route: ["a", null] } },
  reasoning: { enabled: true, effort: "xhigh", budgetTokens: 2000 },
  responseFormat: { type: "json_schema", schema: { type: "object" }, name: "answer" },
} as const satisfies ModelSettings;
const schema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };

describe("the model options of an agent", () => {
  it.each(["run", "stream"] as const)("reach every model call of a %s [model-options.reach-model]", async (way) => {
    const { agent, model } = scripted([{ toolCalls: [callOf("1")] }, "{}"], { tools: [look], modelOptions: all });
    if (way === "run") await agent.run("Hi");
    else await agent.stream("Hi").output;

    expect(model.calls).toHaveLength(2);
    for (const { options } of model.calls) expect(options).toMatchObject(all);
  });

  it("are overridden one by one by those of a run, and override temperature and reasoning [model-options.precedence]", async () => {
    const { agent, model } = scripted(["1", "2"], {
      temperature: 0.1,
      reasoning: { enabled: false },
      modelOptions: { temperature: 0.2, maxTokens: 7 },
    });
    await agent.run("Hi");
    await agent.run("Hi", { modelOptions: { temperature: 0.3, topP: 0.4 } });

    const always = { signal: expect.any(AbortSignal), onOmitted: expect.any(Function) };
    expect(model.calls.map(({ options }) => options)).toEqual([
      { temperature: 0.2, maxTokens: 7, reasoning: { enabled: false }, ...always },
      { temperature: 0.3, maxTokens: 7, topP: 0.4, reasoning: { enabled: false }, ...always },
    ]);
  });

  it("hold the options of a vendor, which those of a run override one by one [model-options.vendor]", async () => {
    const configured = { openai: { user: "a", store: false }, anthropic: { metadata: { user_id: "a" } } };
    const { agent, model } = scripted(["1", "2"], { modelOptions: { vendor: configured } });
    await agent.run("Hi", { modelOptions: { vendor: { openai: { user: "b", seed: undefined }, toString: {} } } });
    await agent.run("Hi", { modelOptions: { vendor: undefined } });

    expect(model.calls.map(({ options }) => options.vendor)).toEqual([
      { ...configured, openai: { user: "b", store: false }, toString: {} },
      configured,
    ]);
  });

  it.each([
    ["flex", "modelOptions.vendor must be an object with the options of each provider by its id, like { openai: {"],
    [{ openai: "flex" }, "modelOptions.vendor.openai must be an object, got a string."],
    [{ openai: [1] }, "modelOptions.vendor.openai must be an object"],
    [{ openai: { at: new Date() } }, "modelOptions.vendor.openai.at is a Date"],
    [{ openai: { tools: [{ run: () => 1 }] } }, "modelOptions.vendor.openai.tools[0].run is a function"],
    [{ openai: { logit_bias: NaN } }, "modelOptions.vendor.openai.logit_bias is NaN"],
  ])(
    "the model options of an agent with the vendor options %j are refused, because they are sent as JSON [model-options.vendor]",
    async (vendor, message) => {
      const { agent } = scripted(["1"]);
      const wrong = { vendor } as unknown as ModelSettings;

      expect(() => scripted([], { modelOptions: wrong })).toThrow(expect.objectContaining({ code: "invalid_config" }));
      expect(() => scripted([], { modelOptions: wrong })).toThrow(message);
      await expect(agent.run("Hi", { modelOptions: wrong })).rejects.toMatchObject({
        code: "invalid_request",
        message: expect.stringContaining(message),
      });
    },
  );

  it.each(["none", "minimal", "low", "medium", "high", "xhigh"] as const)(
    "take the reasoning effort %s [model-options.effort]",
    async (effort) => {
      const { agent, model } = scripted(["1"], { modelOptions: { reasoning: { enabled: true, effort } } });
      await agent.run("Hi");

      expect(model.calls[0]?.options.reasoning).toEqual({ enabled: true, effort });
    },
  );

  it("override nothing by undefined [model-options.undefined]", async () => {
    const { agent, model } = scripted(["1"], { temperature: 0.1, modelOptions: { temperature: undefined, topP: 0.2 } });
    await agent.run("Hi", { modelOptions: { topP: undefined } });

    expect(model.calls[0]?.options).toMatchObject({ temperature: 0.1, topP: 0.2 });
  });

  it.each([
    [{ temprature: 1 }, 'Unknown option "temprature" of modelOptions. Expected temperature, topP, maxTokens, stop, '],
    [{ temperature: 3 }, "modelOptions.temperature must be a number from 0 to 2, got 3."],
    [{ maxTokens: 0 }, "modelOptions.maxTokens must be a positive integer, got 0."],
    [{ seed: 1.5 }, "modelOptions.seed must be an integer, got 1.5."],
    [{ parallelToolCalls: "no" }, "modelOptions.parallelToolCalls must be true or false, got a string."],
    [{ reasoning: { enabled: true, effort: "max" } }, 'modelOptions.reasoning.effort must be "none", "minimal", "low"'],
    [{ stop: [""] }, "modelOptions.stop[0] must be a string that is not empty"],
    [{ toolChoice: "any" }, 'modelOptions.toolChoice must be "auto", "none", "required" or { tool: name }'],
    [{ toolChoice: { name: "x" } }, 'Unknown option "name" of modelOptions.toolChoice. Expected tool.'],
    [{ responseFormat: { type: "json" } }, 'modelOptions.responseFormat.type must be "json_schema"'],
    [{ reasoning: { effort: "low" } }, "modelOptions.reasoning.enabled must be true or false"],
  ])("the model options of an agent of %j are refused [model-options.unknown]", async (modelOptions, message) => {
    const { agent, model } = scripted(["1"]);
    const wrong = modelOptions as ModelSettings;

    expect(() => scripted([], { modelOptions: wrong })).toThrow(expect.objectContaining({ code: "invalid_config" }));
    expect(() => scripted([], { modelOptions: wrong })).toThrow(message);
    await expect(agent.run("Hi", { modelOptions: wrong })).rejects.toMatchObject({ code: "invalid_request" });
    expect(() => agent.stream("Hi", { modelOptions: wrong })).toThrow(message);
    expect(model.calls).toEqual([]);
  });

  it("cannot set a format beside structured output [model-options.format-and-schema]", async () => {
    const structured = { structuredOutput: schema };
    const { agent, model } = scripted([], structured);
    const failure = { code: "invalid_config", message: expect.stringMatching(/responseFormat.*structuredOutput/) };

    expect(() => scripted([], { ...structured, modelOptions: { responseFormat: "json" } })).toThrow(
      expect.objectContaining(failure),
    );
    await expect(agent.run("Hi", { modelOptions: { responseFormat: "text" } })).rejects.toMatchObject(failure);
    expect(model.calls).toEqual([]);
  });
});

describe("the tool choice of an agent", () => {
  const choicesOf = (model: ReturnType<typeof scripted>["model"]) =>
    model.calls.map(({ options }) => options.toolChoice);

  it.each(["required", { tool: "look" }] as const)(
    "holds for the first model call when it is %j, and not for later ones [tool-choice.first-call]",
    async (toolChoice) => {
      const turns = [{ toolCalls: [callOf("1")] }, { toolCalls: [callOf("2")] }, "Rain."];
      const { agent, model } = scripted(turns, { tools: [look], modelOptions: { toolChoice } });
      await agent.run("Weather?");

      expect(choicesOf(model)).toEqual([toolChoice, undefined, undefined]);
      for (const { options } of model.calls) expect(options.tools).toMatchObject([{ name: "look" }]);
    },
  );

  it("holds anew for each run, and the run's own goes before the agent's [tool-choice.first-call]", async () => {
    const { agent, model } = scripted([{ toolCalls: [callOf("1")] }, "1", "2"], {
      tools: [look],
      modelOptions: { toolChoice: "required" },
    });
    await agent.run("Hi");
    await agent.run("Hi", { modelOptions: { toolChoice: "auto" } });

    expect(choicesOf(model)).toEqual(["required", undefined, "auto"]);
  });

  it("executes no tool when it is none, whatever the model does [tool-choice.none]", async () => {
    let executed = 0;
    const counted = toolNamed("look", () => `seen ${(executed += 1)}`);
    const { agent, model } = scripted([{ text: "No.", toolCalls: [callOf("1")] }], {
      tools: [counted],
      modelOptions: { toolChoice: "none" },
    });
    const output = await agent.run("Weather?");

    expect([output.text, executed, output.toolCalls]).toEqual(["No.", 0, []]);
    expect(choicesOf(model)).toEqual(["none"]);
  });

  it("is refused when there is no such tool [tool-choice.known]", async () => {
    const named = { toolChoice: { tool: "lok" } };
    const late = scripted(["1"], { tools: [{ getTools: async () => [look] }], modelOptions: named });
    const onRun = scripted(["1"], { tools: [look] });

    expect(() => scripted([], { tools: [look], modelOptions: named })).toThrow(
      'modelOptions.toolChoice names "lok", which is not a tool here. Expected one of look.',
    );
    expect(() => scripted([], { modelOptions: { toolChoice: "required" } })).toThrow(/toolChoice needs a tool/);
    expect(() =>
      scripted([], { tools: [look], maxToolRoundtrips: 0, modelOptions: { toolChoice: "required" } }),
    ).toThrow(/toolChoice has no effect with maxToolRoundtrips 0/);
    await expect(late.agent.run("Hi")).rejects.toMatchObject({ code: "invalid_config" });
    await expect(onRun.agent.run("Hi", { modelOptions: named })).rejects.toMatchObject({ code: "invalid_request" });
    expect([late.model.calls, onRun.model.calls]).toEqual([[], []]);
  });
});

describe("the limits of a run", () => {
  it("go before those of the agent [run-opts.limits]", async () => {
    const strict = scripted(["1", "2"], { limits: { totalTokens: 1 } });
    const lax = scripted(["1"], { limits: { totalTokens: 1_000_000 } });

    await expect(lax.agent.run("Hi", { limits: { totalTokens: 1 } })).rejects.toMatchObject({ code: "limit_exceeded" });
    await expect(strict.agent.run("Hi")).rejects.toMatchObject({ code: "limit_exceeded" });
    expect(await strict.agent.run("Hi", { limits: { totalTokens: 1_000_000 } })).toMatchObject({ text: "2" });
  });
});

describe("the run context", () => {
  it("has the tenant, also of a child run [run-context.tenant]", async () => {
    const seen: unknown[] = [];
    const child = scripted(["Hi.", "Hi."], { instructions: ({ tenantId }) => `child ${seen.push(tenantId)}` });
    const ask = toolNamed("look", async (_at, context) => {
      seen.push(context.tenantId);
      // A copied context leads to no run: its facts alone are inherited.
      await child.agent.run("Hi", { parent: { ...context } });
      return "seen";
    });
    const { agent } = scripted([{ toolCalls: [callOf("1")] }, "Done."], { tools: [ask] });
    await agent.run("Hi", { userId: "ada", tenantId: "acme" });
    await child.agent.run("Hi");

    expect(seen).toEqual(["acme", "acme", undefined]);
  });
});
