import { describe, expect, it } from "vitest";
import { Memory } from "../memory/memory.ts";
import { UserMemory } from "../memory/user-memory.ts";
import type { RunOpts } from "../run/run-options.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Agent } from "./agent.ts";
import { callOf, look, scripted, toolNamed } from "./test/agents.ts";
import { attemptOpts } from "../run/test/attempt-opts.ts";

/** A model of another vendor. */
class OtherModel extends ScriptedModel {
  override readonly providerId = "other";
  override readonly modelId = "other-1";
}

const systemOf = (model: ScriptedModel) =>
  model.calls.map(({ messages }) => messages.flatMap(({ role, content }) => (role === "system" ? [content] : [])));
const toolsOf = (model: ScriptedModel) =>
  model.calls.map(({ options }) => (options.tools ?? []).map(({ name }) => name));
const keysOf = (model: ScriptedModel) => model.calls.map(({ options }) => options.apiKey);

describe("the model of a run", () => {
  it.each(["run", "stream"] as const)(
    "answers a %s in place of the agent's, and no later one [run-opts.model]",
    async (way) => {
      const { agent, model } = scripted(["own"]);
      const other = new OtherModel("other");
      const output =
        way === "run" ? await agent.run("Hi", { model: other }) : await agent.stream("Hi", { model: other }).output;

      expect(output).toMatchObject({ text: "other", model: "other-1", modelProvider: "other" });
      expect(await agent.run("Hi")).toMatchObject({ text: "own", model: "scripted-1", modelProvider: "scripted" });
      expect([other.calls.length, model.calls.length]).toEqual([1, 1]);
      expect(agent.providerId).toBe("scripted");
    },
  );

  it("is named in the output of a run that fails [run-opts.model]", async () => {
    const { agent } = scripted([]);
    const failing = agent.run("Hi", { model: new OtherModel({ error: new Error("no") }) });

    await expect(failing).rejects.toMatchObject({ output: { model: "other-1", modelProvider: "other" } });
  });

  it("gets the key of its own vendor and no other [run-opts.model-key]", async () => {
    const { agent, model } = scripted(["own"]);
    const apiKeys = { scripted: "key-scripted", other: "key-other" };
    const other = new OtherModel("1", "2", "3");
    await agent.run("Hi", { model: other, apiKeys });
    await agent.run("Hi", { model: other, apiKeys: { scripted: "key-scripted" } });
    await agent.run("Hi", { model: other, apiKey: "key-generic" });
    await agent.run("Hi", { apiKeys });

    expect(keysOf(other)).toEqual(["key-other", undefined, "key-generic"]);
    expect(keysOf(model)).toEqual(["key-scripted"]);
  });

  it("gets no generic key from outside, which is for the vendor of the agent [run-opts.model-key]", async () => {
    const { agent } = scripted([]);
    const other = new OtherModel("1", "2");
    const own = new ScriptedModel("3");
    await agent.run("Hi", attemptOpts({ model: other, apiKey: "key-generic", fromOutside: true }));
    await agent.run(
      "Hi",
      attemptOpts({ model: other, apiKey: "key-generic", apiKeys: { other: "key-other" }, fromOutside: true }),
    );
    await agent.run("Hi", attemptOpts({ model: own, apiKey: "key-generic", fromOutside: true }));

    expect(keysOf(other)).toEqual([undefined, "key-other"]);
    expect(keysOf(own)).toEqual(["key-generic"]);
  });

  it("the model of a run also extracts the facts of its run, where the memory has no model of its own [run-opts.model]", async () => {
    const userMemory = new UserMemory({ storage: new InMemoryStorage() });
    const { agent, model } = scripted([], { userMemory });
    const other = new OtherModel("Rain.", { structured: { add: [], remove: [] } });
    await agent.run("Weather?", { model: other, userId: "u" });
    await userMemory.flush();

    expect([other.calls.length, model.calls.length]).toEqual([2, 0]);
  });
});

describe("the instructions of a run", () => {
  it("stand in place of the agent's, for that run alone [run-opts.instructions]", async () => {
    let asked = 0;
    const instructions = () => `Own ${(asked += 1)}.`;
    const { agent, model } = scripted(["1", "2", "3"], { instructions });
    await agent.run("Hi", { instructions: "Of the run." });
    await agent.run("Hi", { instructions: "" });
    await agent.run("Hi");

    expect(systemOf(model)).toEqual([["Of the run."], [], ["Own 1."]]);
  });

  it("leave memory and facts in the system prompt [run-opts.instructions]", async () => {
    const storage = new InMemoryStorage();
    const userMemory = new UserMemory({ storage });
    await userMemory.addFacts("u", ["Lives in Oslo."]);
    const memory = new Memory({ storage, maxShortTermMessages: 2, enableLongTerm: true });
    const { agent, model } = scripted([], { instructions: "Own.", memory, userMemory: factsOnly(userMemory) });
    model.respond(() => "The dog is Rex.");
    for (const text of ["My dog is Rex.", "And", "And"]) await agent.run(text, { sessionId: "s", userId: "u" });
    await agent.run("Hi", { sessionId: "s", userId: "u", instructions: "Of the run." });

    const prompts = systemOf(model).map((contents) => JSON.stringify(contents));
    const last = prompts.findLast((prompt) => prompt.includes("Lives in Oslo."));
    expect(last).toContain("Of the run.");
    expect(last).not.toContain("Own.");
    expect(last).toContain("Lives in Oslo.");
    expect(last).toContain("Rex");
  });
});

/** A user memory that extracts nothing. */
function factsOnly(memory: UserMemory) {
  return {
    enabled: false,
    getContextString: memory.getContextString.bind(memory),
    extractAndStore: async () => [],
    clear: memory.clear.bind(memory),
  };
}

describe("the tools of a run", () => {
  it("stand in place of the agent's, for that run alone [run-opts.tools]", async () => {
    const turns = [{ toolCalls: [callOf("1", "Oslo", "smell"), callOf("2")] }, "Done.", "Own.", "None."];
    const { agent, model } = scripted(turns, { tools: [look] });
    const smell = toolNamed("smell", (at) => `${at} smells`);
    const { toolCalls } = await agent.run("Hi", { tools: [smell] });
    await agent.run("Hi");
    await agent.run("Hi", { tools: [] });

    expect(toolCalls.map(({ toolName, result, error }) => [toolName, error ?? result])).toEqual([
      ["smell", "Oslo smells"],
      ["look", 'Tool "look" not found. Expected one of smell.'],
    ]);
    expect(toolsOf(model)).toEqual([["smell"], ["smell"], ["look"], []]);
    expect(agent.tools).toEqual([look]);
  });

  it("may be sources, which get the context, and which the agent does not close [run-opts.tools]", async () => {
    const closed: string[] = [];
    const sourceOf = (name: string) => ({
      getTools: async (context?: { runId: string }) => [toolNamed(name, () => `${name} ${context?.runId}`)],
      close: async () => void closed.push(name),
    });
    const { agent, model } = scripted(["1", "2", "3"], { tools: [sourceOf("own")] });
    await agent.run("Hi");
    await agent.run("Hi", { tools: [sourceOf("given")] });
    await agent.run("Hi");
    await agent.close();

    expect(toolsOf(model)).toEqual([["own"], ["given"], ["own"]]);
    expect(closed).toEqual(["own"]);
  });

  it("keep their cached results from run to run [run-opts.tools]", async () => {
    let executed = 0;
    const counted = toolNamed("look", () => `seen ${(executed += 1)}`, { cache: { ttl: 60_000 } });
    const turns = [1, 2, 3].flatMap((id) => [{ toolCalls: [callOf(String(id))] }, "Done."]);
    const { agent } = scripted(turns, { tools: [counted] });
    const results: unknown[] = [];
    for (const opts of [{}, { tools: [counted, toolNamed("other", () => "x")] }, { tools: [counted] }]) {
      results.push((await agent.run("Hi", opts)).toolCalls[0]?.result);
    }

    expect(results).toEqual(["seen 1", "seen 1", "seen 1"]);
  });

  it("are those among which its tool choice is made [run-opts.tools]", async () => {
    const { agent, model } = scripted(["1"], { tools: [look], modelOptions: { toolChoice: { tool: "look" } } });
    const smell = toolNamed("smell", () => "x");
    const chosen = { tools: [smell], modelOptions: { toolChoice: { tool: "smell" } } };
    await agent.run("Hi", chosen);

    expect(model.calls[0]?.options.toolChoice).toEqual({ tool: "smell" });
    await expect(agent.run("Hi", { tools: [smell] })).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining('modelOptions.toolChoice names "look", which is not a tool here.'),
    });
    expect(() => agent.stream("Hi", { ...chosen, tools: [look] })).toThrow('names "smell"');
  });
});

describe("model, instructions and tools of a run", () => {
  it("go before the agent's, and prepareStep before them [run-opts.step-precedence]", async () => {
    const smell = toolNamed("smell", () => "x");
    const stepModel = new OtherModel("step");
    const { agent, model } = scripted(["own"], {
      tools: [look],
      instructions: "Own.",
      prepareStep: () => ({ model: stepModel, instructions: "Of the step.", tools: ["smell"] }),
    });
    await agent.run("Hi", { model: new OtherModel(), instructions: "Of the run.", tools: [look, smell] });

    expect(model.calls).toEqual([]);
    expect([systemOf(stepModel), toolsOf(stepModel)]).toEqual([[["Of the step."]], [["smell"]]]);
  });

  it("are not inherited by a child run [run-opts.own-not-inherited]", async () => {
    const child = scripted(["child"], { tools: [look], instructions: "Child." });
    const asks = toolNamed("ask", async (_at, context) => (await child.agent.run("Hi", { parent: context })).text);
    const { agent } = scripted([]);
    const other = new OtherModel({ toolCalls: [callOf("1", "Oslo", "ask")] }, "Done.");
    await agent.run("Hi", { model: other, instructions: "Of the run.", tools: [asks] });

    expect([systemOf(child.model), toolsOf(child.model)]).toEqual([[["Child."]], [["look"]]]);
    expect(other.calls).toHaveLength(2);
  });

  it.each([
    [{ model: "gpt-5" }, "model must be a model provider, like openai(modelId), got a string."],
    [{ model: { providerId: "x", modelId: "y" } }, "model must be a model provider"],
    [{ instructions: () => "x" }, "instructions must be a string, got a function."],
    [{ tools: () => [look] }, "tools must be an array of tools and tool sources, got a function."],
    [{ tools: look }, "tools must be an array of tools and tool sources, got an object."],
    [{ tools: [look, look] }, 'Two tools are named "look". Rename one of them.'],
    [{ tools: [{ ...look, parameters: { type: "string" } }] }, 'tool "look".parameters'],
    [{ tools: [null] }, "A tool must be an object, got null."],
  ])(
    "model, instructions and tools of a run of %j are refused before the run begins [run-opts.own-refused]",
    async (opts, message) => {
      const { agent, model } = scripted(["own"], { tools: [look] });
      const wrong = opts as unknown as RunOpts;

      await expect(agent.run("Hi", wrong)).rejects.toMatchObject({ code: "invalid_request" });
      expect(() => agent.stream("Hi", wrong)).toThrow(message);
      expect(model.calls).toEqual([]);
      expect(await agent.run("Hi")).toMatchObject({ text: "own" });
    },
  );
});

it("an agent that was given a model for a run keeps its own for the run beside it [run-opts.model]", async () => {
  const own = new ScriptedModel({ text: "own", delayMs: 5 });
  const agent = new Agent({ name: "a", model: own });
  const outputs = await Promise.all([agent.run("Hi"), agent.run("Hi", { model: new OtherModel("other") })]);

  expect(outputs.map(({ text }) => text)).toEqual(["own", "other"]);
});
