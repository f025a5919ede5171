import { watchErrorStream } from "@troupe-internal/interleavings";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { EventBus } from "../../base/events/event-bus.ts";
import type { RunEvents } from "../run/run-events.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { ObjectSchema } from "../../schema/object-schema.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import type { ToolDef } from "../run/tool.ts";
import { Agent } from "./agent.ts";
import type { AgentConfig } from "./agent-config.ts";
import { look, scripted } from "./test/agents.ts";

const model = new ScriptedModel();
const schema = { type: "object", properties: { city: { type: "string" } } };

function plainTool(parameters: ObjectSchema): ToolDef {
  return { name: "plain", description: "Does something.", parameters, execute: () => "" };
}

function refusalOf(config: unknown): unknown {
  try {
    return new Agent(config as AgentConfig);
  } catch (error) {
    return error;
  }
}

describe("an agent", () => {
  it("needs a name and a model, and nothing else [agent.name] [agent.model]", () => {
    expect(new Agent({ name: "helper", model }).name).toBe("helper");
    expect(refusalOf({ model })).toMatchObject({
      code: "invalid_config",
      message: expect.stringMatching(/^name must/),
    });
    expect(refusalOf({ name: "a" })).toMatchObject({
      message: expect.stringMatching(/^model must be a model provider/),
    });
  });

  it("can be read: name, bus, tools, model, vendor, structured output [agent.properties] [agent.tools]", () => {
    const eventBus = new EventBus<RunEvents>();
    const agent = new Agent({
      name: "a",
      description: "Helps.",
      model,
      eventBus,
      tools: [look],
      structuredOutput: schema,
    });

    expect(agent).toMatchObject({ name: "a", description: "Helps.", kind: "agent", hasStructuredOutput: true });
    expect(agent).toMatchObject({ modelId: "scripted-1", providerId: "scripted" });
    expect([agent.tools, agent.eventBus]).toEqual([[look], eventBus]);
    expect(agent.eventBus).toBe(eventBus);
    const plain = new Agent({ name: "a", model });
    expect([plain.description, plain.hasStructuredOutput, plain.tools]).toEqual([undefined, false, []]);
    expect(plain.eventBus).toBe(plain.eventBus);
  });

  it("copies its configuration", async () => {
    const config: AgentConfig = { name: "a", model: new ScriptedModel("Hi."), instructions: "Be short." };
    const agent = new Agent(config);
    Object.assign(config, { name: "b", model: undefined });

    expect((await agent.run("Hello")).agentName).toBe("a");
  });

  it("keeps its limits when the application changes its own object", async () => {
    const limits = { totalTokens: 1 };
    const agent = new Agent({ name: "a", model: new ScriptedModel("Hi."), limits });
    limits.totalTokens = 1_000_000;

    await expect(agent.run("Hello")).rejects.toMatchObject({ code: "limit_exceeded" });
  });

  it("passes model options on to the model [agent.temperature] [agent.reasoning]", async () => {
    const reasoning = { enabled: true, effort: "low", budgetTokens: 100 } as const;
    const asked = scripted(["Hi.", "Hi."], { temperature: 0, reasoning });
    await asked.agent.run("Hello");
    await asked.agent.stream("Hello").output;
    for (const { options } of asked.model.calls) expect(options).toMatchObject({ temperature: 0, reasoning });

    const plain = scripted(["Hi."]);
    await plain.agent.run("Hello");
    expect(Object.keys(plain.model.calls[0]?.options ?? {})).toEqual(["onOmitted", "signal"]);
  });

  it("has a storage in memory and logs nothing by default [agent.storage-default] [agent.log-level]", async () => {
    const { lines, restore } = watchErrorStream();
    onTestFinished(restore);
    const { agent, model: asked } = scripted(["One.", "Other.", "Two.", { error: new Error("broken") }], {
      hooks: { afterRun: () => Promise.reject(new Error("hook")) },
    });
    await agent.run("First", { sessionId: "s" });
    await agent.run("Elsewhere", { sessionId: "other" });
    await agent.run("Second", { sessionId: "s" });
    await agent.run("Third", { sessionId: "s" }).catch(() => undefined);

    expect(asked.calls[1]?.messages.map(({ content }) => content)).toEqual(["Elsewhere"]);
    expect(asked.calls[2]?.messages.map(({ content }) => content)).toEqual(["First", "One.", "Second"]);
    expect(lines).toEqual([]);
  });

  it("closes the sources of its tools, and not the storage that it was given", async () => {
    const storage = new InMemoryStorage();
    let closed = 0;
    const source = { getTools: async () => [look], close: async () => void (closed += 1) };
    const agent = new Agent({ name: "a", model: new ScriptedModel("Hi."), storage, tools: [source] });
    expect(agent.tools).toEqual([]);
    await agent.run("Hello");
    expect(agent.tools).toEqual([look]);

    await agent.close();

    expect(closed).toBe(1);
    expect((await storage.list("sessions")).length).toBe(1);
  });

  it("closes every source, and then throws the first failure", async () => {
    const closed: string[] = [];
    const source = (name: string) => ({
      getTools: async () => [],
      close: async () => {
        closed.push(name);
        if (name !== "b") throw new Error(name);
      },
    });
    const agent = new Agent({ name: "x", model, tools: [source("a"), source("b"), source("c")] });

    await expect(agent.close()).rejects.toThrow("a");
    expect(closed).toEqual(["a", "b", "c"]);
  });

  it.each<[option: string, value: unknown, expected: string]>([
    ["structuredOutput", z.object({ at: z.date() }), 'structuredOutput has no JSON Schema: at "at", the type date'],
    ["structuredOutput", { type: "text" }, 'structuredOutput cannot be used as a JSON Schema: at #, "type" must be'],
    ["tools", [plainTool(z.object({ at: z.date() }))], 'tool "plain".parameters has no JSON Schema: at "at", the type'],
    ["tools", [plainTool({ type: "array" })], 'tool "plain".parameters must have an object at its root'],
  ])(
    "refuses %s with a schema that cannot be used, before any run [schema.checked-early]",
    (option, value, expected) => {
      expect(refusalOf({ name: "helper", model, [option]: value })).toMatchObject({
        code: "invalid_config",
        message: expect.stringContaining(expected),
      });
    },
  );

  const wrong: [option: string, value: unknown, expected: string][] = [
    ["name", " ", "name must be a string of 1 to 128 characters that is not blank"],
    ["name", "a".repeat(129), "name must be"],
    ["name", null, "name must be"],
    ["description", "", "description must be a string that is not empty"],
    ["model", { providerId: "p", modelId: "m" }, "model must be a model provider"],
    ["model", null, "model must be"],
    ["instructions", 5, "instructions must be a string, or a function that makes one"],
    ["tools", look, "tools must be an array of tools and tool sources"],
    ["tools", [look, look], 'Two tools are named "look". Rename one of them.'],
    ["tools", [{ name: "no execute" }], "name"],
    ["memory", {}, "memory must be a Memory"],
    ["storage", new Map(), "storage must be a storage driver"],
    ["sessionId", "a/b", "sessionId must be"],
    ["userId", "", "userId must be"],
    ["addHistoryToMessages", "yes", "addHistoryToMessages must be true or false"],
    ["numHistoryRuns", -1, "numHistoryRuns must be an integer"],
    ["numHistoryRuns", 1.5, "numHistoryRuns must be"],
    ["maxToolRoundtrips", -1, "maxToolRoundtrips must be"],
    ["maxToolRoundtrips", Infinity, "maxToolRoundtrips must be"],
    ["maxParallelTools", 0, "maxParallelTools must be a positive integer"],
    ["maxParallelTools", Infinity, "maxParallelTools must be a positive integer"],
    ["temperature", 2.1, "temperature must be a number from 0 to 2"],
    ["temperature", Number.NaN, "temperature must be"],
    ["structuredOutput", "json", "structuredOutput"],
    ["hooks", null, "hooks must be an object"],
    ["hooks", { beforeRn: () => {} }, 'Unknown option "beforeRn" of hooks'],
    ["hooks", { afterRun: "log" }, "hooks.afterRun must be a function"],
    ["guardrails", { inputs: [] }, "inputs"],
    ["guardrails", { output: [{ name: "g" }] }, "guardrails.output"],
    ["eventBus", { on: () => {} }, "eventBus must be an EventBus"],
    ["reasoning", true, "reasoning must be an object"],
    ["reasoning", {}, "reasoning.enabled must be"],
    ["reasoning", { enabled: true, effort: "max" }, "reasoning.effort must be"],
    ["reasoning", { enabled: true, budgetTokens: 0 }, "reasoning.budgetTokens must be"],
    ["userMemory", {}, "userMemory must be a UserMemory"],
    ["logLevel", "loud", 'logLevel must be "debug", "info", "warn", "error" or "silent"'],
    ["retry", { maxRetries: -1 }, "retry.maxRetries must be"],
    ["retry", 3, "retry must be an object"],
    ["maxContextTokens", 0, "maxContextTokens must be"],
    ["limits", { durationMs: 0 }, "limits.durationMs must be"],
    ["limits", [], "limits must be an object"],
    ["onBusy", "wait", 'onBusy must be "enqueue", "reject" or a policy'],
    ["onBusy", { waiting: 3 }, 'Unknown option "waiting" of onBusy. Expected onBusy, maxWaiting or waitMs.'],
    ["onWaiting", "wait", 'onWaiting must be "reject" or "cancel"'],
    ["instruction", "x", 'Unknown option "instruction" of agent "a". Expected name, description, model,'],
    ["constructor", 1, 'Unknown option "constructor"'],
    ["toString", 1, 'Unknown option "toString"'],
    ["__proto__", {}, 'Unknown option "__proto__"'],
  ];

  it.each(wrong)("rejects %s: %o as invalid_config, by name", (option, value, expected) => {
    const config = Object.defineProperty({ name: "a", model }, option, { value, enumerable: true });

    expect(refusalOf(config)).toMatchObject({ code: "invalid_config", message: expect.stringContaining(expected) });
  });

  it.each([undefined, null, "helper"])("rejects %o in place of a configuration", (config) => {
    expect(refusalOf(config)).toMatchObject({ code: "invalid_config" });
  });

  it("treats an option that is undefined as absent", () => {
    const names = wrong.map(([option]) => option).filter((option) => /^[a-z]/.test(option) && !(option in {}));
    const config = Object.fromEntries(names.filter((name) => name !== "instruction").map((name) => [name, undefined]));

    expect(new Agent({ ...config, name: "a", model }).name).toBe("a");
  });
});

describe("an unknown option", () => {
  it.each([
    ["system", "instructions"],
    ["maxSteps", "maxToolRoundtrips"],
    ["output", "structuredOutput"],
    ["llm", "model"],
    ["instuctions", "instructions"],
  ])("an unknown option of an agent, %s, is answered by the name of ours: %s", (unknown, meant) => {
    const config = { name: "a", model, [unknown]: "x" };

    expect(() => new Agent(config)).toThrow(
      new RegExp(`^Unknown option "${unknown}" of agent "a"\\. Expected .*\\. Did you mean ${meant}\\?$`),
    );
  });

  it("an unknown option of a run is answered by the name of ours, and by no option that is not public", async () => {
    const failure = await new Agent({ name: "a", model })
      .run("Hi", { threadId: "x" } as never)
      .catch((error: Error) => error);

    expect((failure as Error).message).toBe(
      'Unknown option "threadId" of the run. Expected sessionId, userId, verified, tenantId, metadata, messages, apiKey, apiKeys, signal, limits, modelOptions, model, instructions, tools, additions or parent. Did you mean sessionId?',
    );
  });
});
