import { createHash } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import type { Guardrail } from "../guardrail/guardrail.ts";
import type { RunSettings } from "../run/run-options.ts";
import { resolveRunOpts } from "../run/resolve-run-opts.ts";
import { testRun } from "../run/test/test-run.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ToolSet } from "../tool/tool-set.ts";
import type { AgentConfig } from "./agent-config.ts";
import { AgentParts } from "./agent-parts.ts";
import { planToolLoop } from "./agent-run.ts";
import { callByGenerate } from "./call-model.ts";
import { answering, look, scripted } from "./test/agents.ts";

const model = answering();
const built = { messages: [], prompt: { instructions: "", additions: "" }, fillMessages: undefined };

/** The plan of a run with these settings, of an agent with this configuration. */
function planOf(config: Partial<AgentConfig> = {}, settings: Partial<RunSettings> = {}) {
  const parts = new AgentParts({ name: "a", model, ...config });
  const run = testRun({}, { settings: { ...resolveRunOpts({}), ...settings } });
  const tools = new ToolSet([look]);
  return { plan: planToolLoop(parts, run, { call: callByGenerate, ...built, tools }), run, parts, tools };
}

describe("planToolLoop", () => {
  it("has the defaults of an agent", () => {
    const { plan, run, parts, tools } = planOf();

    expect(plan).toStrictEqual({
      ...built,
      call: callByGenerate,
      tools,
      run,
      model,
      options: { onOmitted: expect.any(Function) },
      maxContextTokens: undefined,
      prepareStep: undefined,
      toolChoice: undefined,
      retry: parts.retry,
      maxToolRoundtrips: 10,
      maxParallelTools: 32,
      structured: undefined,
      outputGuardrails: [],
      onToolCall: undefined,
      onApproval: undefined,
    });
  });

  it("has what the agent is configured with", () => {
    const guardrail: Guardrail = { name: "g", check: () => ({ pass: true }) };
    const limits = { maxContextTokens: 5, maxToolRoundtrips: 0, maxParallelTools: 1 };
    const settings = { temperature: 0, modelOptions: { seed: 1, toolChoice: "auto" } } as const;
    const schema = z.object({ a: z.number() });
    const guardrails = { input: [], output: [guardrail] };
    const { plan, parts } = planOf({ ...limits, ...settings, structuredOutput: schema, guardrails });

    expect(plan).toMatchObject({ ...limits, toolChoice: "auto", outputGuardrails: [guardrail] });
    expect(plan.structured).toBe(parts.structured);
    expect(plan.options).toStrictEqual({
      temperature: 0,
      seed: 1,
      responseFormat: { type: "json_schema", schema: parts.structured?.jsonSchema },
      onOmitted: expect.any(Function),
    });
  });

  it("has the model and the settings of the run first", () => {
    const other = answering();
    const modelOptions = { seed: 2, toolChoice: { tool: "look" } };
    const { plan } = planOf({ temperature: 0, modelOptions: { seed: 1 } }, { model: other, modelOptions });

    expect(plan.model).toBe(other);
    expect(plan.toolChoice).toEqual({ tool: "look" });
    expect(plan.options).toStrictEqual({ temperature: 0, seed: 2, onOmitted: expect.any(Function) });
  });

  it.each<[config: Partial<AgentConfig>, settings: Partial<RunSettings>, code: string]>([
    [{ modelOptions: { toolChoice: { tool: "dig" } } }, {}, "invalid_config"],
    [{ modelOptions: { toolChoice: { tool: "dig" } } }, { modelOptions: { seed: 1 } }, "invalid_config"],
    [{ modelOptions: { toolChoice: { tool: "dig" } } }, { tools: [look] }, "invalid_request"],
    [{}, { modelOptions: { toolChoice: { tool: "dig" } } }, "invalid_request"],
  ])(
    "refuses the choice of a tool that is not there, as a mistake of the one who made it",
    (config, settings, code) => {
      const message = 'modelOptions.toolChoice names "dig", which is not a tool here. Expected one of look.';

      expect(() => planOf(config, settings)).toThrow(expect.objectContaining({ code, message }));
    },
  );

  it("binds the hooks to the object that they are methods of", () => {
    class Hooks {
      seen: unknown[] = [];
      onToolCall = undefined;
      onApproval() {
        this.seen.push(this instanceof Hooks);
        return { approved: true };
      }
    }
    const hooks = new Hooks();
    const { plan, run } = planOf({ hooks });
    void plan.onApproval?.(run.context, { id: "1", name: "look", arguments: {} });

    expect(hooks.seen).toEqual([true]);
    expect(plan.onToolCall).toBeUndefined();
  });

  const key = (of: string) => createHash("sha256").update(of).digest("hex");

  it.each<[settings: Partial<RunSettings>, cacheKey: string | undefined]>([
    [{ isNamedSession: true, sessionId: "s" }, key("-/-/s")],
    [{ isNamedSession: true, sessionId: "s", userId: "ann", tenantId: "acme" }, key("acme/ann/s")],
    [{ isNamedSession: true, sessionId: "s", userId: "ann", verified: false }, key("-/~ann/s")],
    [{ isNamedSession: false, sessionId: "s" }, undefined],
    [{ isNamedSession: true, sessionId: "s", sessionStorage: new InMemoryStorage() }, undefined],
  ])("has a cache key of the owner's session, where more than one run may come: %j", (settings, cacheKey) => {
    expect(planOf({}, settings).plan.options.cacheKey).toBe(cacheKey);
  });

  it("warns of an option that is left out once for the agent", () => {
    const omission = { what: "seed", reason: "no", providerId: "v", modelId: "m" };
    const { plan, run, parts } = planOf();
    const warn = vi.spyOn(run, "warn");
    plan.options.onOmitted?.(omission);
    plan.options.onOmitted?.(omission);

    expect(warn).toHaveBeenCalledOnce();
    expect(parts.toldOmissions.size).toBe(1);
  });
});

describe("the input of a run", () => {
  const replacing = (replace: string): Guardrail => ({ name: "g", check: () => ({ pass: true, replace }) });

  it.each<[what: string, config: Partial<AgentConfig>, sent: string]>([
    ["as it was given", {}, "Hi"],
    ["as guardrails left it", { guardrails: { input: [replacing("Hello")] } }, "Hello"],
    ["as the hook left it", { hooks: { beforeRun: () => "Hey" } }, "Hey"],
    [
      "as the hook left it, after the guardrails",
      {
        guardrails: { input: [replacing("Hello")] },
        hooks: { beforeRun: (_, input) => `${JSON.stringify(input)}!` },
      },
      '"Hello"!',
    ],
    [
      "as the guardrails left it, where the hook returns nothing",
      { guardrails: { input: [replacing("Hello")] }, hooks: { beforeRun: () => undefined } },
      "Hello",
    ],
  ])("is sent %s", async (_, config, sent) => {
    const { agent, model: asked } = scripted(["Yes."], config);
    const { messages } = await agent.run("Hi");

    expect(asked.calls[0]?.messages).toEqual([{ role: "user", content: sent }]);
    expect(messages?.[0]).toEqual({ role: "user", content: sent });
  });

  it.each<[config: Partial<AgentConfig>, what: string]>([
    [{ hooks: { beforeRun: () => [] } }, "What beforeRun returned"],
    [{ hooks: { beforeRun: () => 5 as unknown as string } }, "What beforeRun returned"],
    [{ guardrails: { input: [replacing("")] } }, "What the guardrails made of the input"],
  ])("is checked again when it was replaced: %#", async (config, what) => {
    const { agent, model: asked } = scripted(["Yes."], config);
    const error = await agent.run("Hi").catch((thrown: unknown) => thrown);

    expect((error as Error).message).toContain(what);
    expect(asked.calls).toEqual([]);
  });
});
