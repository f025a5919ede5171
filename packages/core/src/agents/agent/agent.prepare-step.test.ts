import { describe, expect, it } from "vitest";
import { assertVendorWouldAccept } from "../../sessions/history/test/assert-vendor-would-accept.ts";
import { getTextContent } from "../../base/message/content.ts";
import { UserMemory } from "../memory/user-memory.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import type { PrepareStep, UpcomingModelCall } from "./prepare-step.ts";
import { callOf, look, scripted, toolNamed } from "./test/agents.ts";

class OtherModel extends ScriptedModel {
  override readonly providerId: string = "other";
  override readonly modelId: string = "other-1";
}

const asks = (id: string, name = "look") => ({ text: `Asking ${id}.`, toolCalls: [callOf(id, "Oslo", name)] });
const structuredOutput = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };

describe.each(["run", "stream"] as const)("prepareStep (%s)", (way) => {
  const start = async (agent: ReturnType<typeof scripted>["agent"], opts = {}) =>
    way === "run" ? await agent.run("Weather?", opts) : await agent.stream("Weather?", opts).output;

  it("is called before each model call, with what there is by then [prepare-step.every-call] [prepare-step.arguments]", async () => {
    const seen: UpcomingModelCall[] = [];
    const { agent } = scripted([asks("1"), asks("2"), "Rain."], {
      tools: [look],
      instructions: "Be short.",
      maxToolRoundtrips: 2,
      prepareStep: (call) => void seen.push(call),
    });
    const { runId } = await start(agent, { userId: "ada" });

    expect(seen.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(seen.map(({ usage }) => usage.totalTokens)).toEqual([0, 15, 30]);
    expect(seen.map(({ messages }) => messages.map(({ role }) => role).join(" "))).toEqual([
      "system user",
      "system user assistant tool",
      "system user assistant tool assistant tool",
    ]);
    for (const { context } of seen) expect(context).toMatchObject({ runId, userId: "ada", agentName: "helper" });
  });

  it("is called for repairs of a structured answer [prepare-step.every-call]", async () => {
    const indices: number[] = [];
    const prepareStep: PrepareStep = ({ index }) => void indices.push(index);
    const { agent } = scripted(["no", "no", '{"n":1}'], { structuredOutput, prepareStep });
    await start(agent);

    expect(indices).toEqual([0, 1, 2]);
  });

  it("cannot damage what it is shown [prepare-step.copy]", async () => {
    const storage = new InMemoryStorage();
    const { agent, model } = scripted([{ ...asks("1"), vendorState: ["STATE"] }, "Rain."], {
      tools: [look],
      storage,
      prepareStep: ({ messages, usage }) => {
        expect(JSON.stringify(messages)).not.toContain("STATE");
        for (const message of messages) Object.assign(message.toolCalls?.[0]?.arguments ?? {}, { at: "HARM" });
        for (const message of messages) message.content = "HARM";
        messages.length = 0;
        Object.assign(usage, { totalTokens: 1e9 });
      },
    });
    const output = await start(agent);

    const everything = [model.calls.map(({ messages }) => messages), output, await storage.list("turns")];
    expect(JSON.stringify(everything)).not.toContain("HARM");
    expect(output.usage.totalTokens).toBe(30);
    expect(model.calls[1]?.messages).toHaveLength(3);
  });

  it("chooses the model of a call, with the key of its vendor [prepare-step.model] [run-opts.api-key]", async () => {
    const other = new OtherModel("Rain.");
    const { agent, model } = scripted([asks("1")], {
      tools: [look],
      prepareStep: ({ index }) => (index === 1 ? { model: other } : undefined),
    });
    const output = await start(agent, { apiKey: "sk-own", apiKeys: { other: "sk-other" } });
    const keyless = new OtherModel("Rain.");
    const without = scripted([], { prepareStep: () => ({ model: keyless }) });
    await start(without.agent, { apiKey: "sk-own" });

    expect([output.text, output.model, output.modelProvider]).toEqual(["Rain.", "other-1", "other"]);
    expect([model.calls[0]?.options.apiKey, other.calls[0]?.options.apiKey]).toEqual(["sk-own", "sk-other"]);
    expect(other.calls[0]?.kind).toBe(way === "run" ? "generate" : "stream");
    expect(keyless.calls[0]?.options).not.toHaveProperty("apiKey");
    expect(without.model.calls).toEqual([]);
  });

  it("replaces the instructions of one call, and leaves the facts [prepare-step.instructions]", async () => {
    const userMemory = new UserMemory({ enabled: false });
    await userMemory.addFacts("ada", ["likes rain"]);
    const { agent, model } = scripted([asks("1"), asks("2"), "Rain."], {
      tools: [look],
      instructions: "Be short.",
      userMemory,
      prepareStep: ({ index }) => ({ instructions: [undefined, "Be long.", ""][index] }),
    });
    await start(agent, { userId: "ada" });
    const bare = scripted([asks("1"), "Rain."], {
      tools: [look],
      prepareStep: ({ index }) => ({ instructions: index === 0 ? "New." : "" }),
    });
    await start(bare.agent);

    const prompts = model.calls.map(({ messages }) =>
      messages.flatMap(({ role, content }) => (role === "system" ? [getTextContent(content)] : [])),
    );
    const facts = expect.stringContaining("likes rain") as unknown;
    expect(prompts).toEqual([["Be short.", facts], ["Be long.", facts], [facts]]);
    expect(bare.model.calls.map(({ messages }) => messages[0])).toEqual([
      { role: "system", content: "New." },
      { role: "user", content: "Weather?" },
    ]);
    expect(model.calls[2]?.messages.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "assistant",
      "tool",
    ]);
  });

  it("chooses the tools of a call, and no other is executed in it [prepare-step.tools]", async () => {
    let paid = 0;
    const pay = toolNamed("pay", () => `paid ${(paid += 1)}`);
    const { agent, model } = scripted([asks("1", "pay"), asks("2", "pay"), "Done."], {
      tools: [look, pay],
      prepareStep: ({ index }) => [{ tools: ["look"] }, undefined, { tools: [] }][index],
    });
    const output = await start(agent);

    expect(model.calls.map(({ options }) => options.tools?.map(({ name }) => name))).toEqual([
      ["look"],
      ["look", "pay"],
      undefined,
    ]);
    expect([paid, output.toolCalls.map(({ error }) => error === undefined)]).toEqual([1, [false, true]]);
  });

  it("keeps the cache of a tool that it chose [prepare-step.tools]", async () => {
    let looked = 0;
    const cached = toolNamed("look", () => `seen ${(looked += 1)}`, { cache: { ttl: 60_000 } });
    const { agent } = scripted([asks("1"), asks("2"), "Done."], {
      tools: [cached],
      prepareStep: () => ({ tools: ["look"] }),
    });
    await start(agent);

    expect(looked).toBe(1);
  });

  it("sets the tool choice of its call, over the agent's [prepare-step.tool-choice]", async () => {
    const { agent, model } = scripted([asks("1"), asks("2"), asks("3"), "Rain."], {
      tools: [look],
      modelOptions: { toolChoice: "required" },
      maxToolRoundtrips: 3,
      prepareStep: ({ index }) =>
        [{ toolChoice: "auto" }, { toolChoice: { tool: "look" } }, undefined, { toolChoice: "required" }][
          index
        ] as undefined,
    });
    await start(agent);

    expect(model.calls.map(({ options }) => options.toolChoice)).toEqual(["auto", { tool: "look" }, undefined, "none"]);
  });

  it("ends the run with the text of the call before [prepare-step.stop]", async () => {
    const { agent, model } = scripted([asks("1")], {
      tools: [look],
      sessionId: "s",
      prepareStep: ({ index }) => ({ stop: index === 1 }),
    });
    const output = await start(agent);

    expect(output).toMatchObject({ text: "Asking 1.", status: "completed", toolCalls: [{ result: "Oslo seen" }] });
    expect(output.messages?.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
    expect(model.calls).toHaveLength(1);
    model.respond(() => "Next.");
    await start(agent);
    assertVendorWouldAccept(model.calls.at(-1)?.messages ?? []);
    expect(model.calls.at(-1)?.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
  });

  it("ends the run before its first call with no text [prepare-step.stop]", async () => {
    const { agent, model } = scripted([], { prepareStep: () => ({ stop: true }) });

    expect(await start(agent)).toMatchObject({ text: "", status: "completed", toolCalls: [] });
    expect(model.calls).toEqual([]);
  });

  it("ends a run with structured output when its text fits, and fails it without a repair when not [prepare-step.stop]", async () => {
    const prepareStep: PrepareStep = ({ index }) => ({ stop: index === 1 });
    const fits = scripted([{ text: '{"n":1}', toolCalls: [callOf("1")] }], {
      tools: [look],
      structuredOutput,
      prepareStep,
    });
    const misfits = scripted([asks("1")], { tools: [look], structuredOutput, prepareStep });
    const repaired = scripted(["no"], { structuredOutput, prepareStep });

    expect(await start(fits.agent)).toMatchObject({ structured: { n: 1 }, text: '{"n":1}' });
    for (const { agent, model } of [misfits, repaired]) {
      await expect(start(agent)).rejects.toMatchObject({ code: "structured_output_invalid" });
      expect(model.calls).toHaveLength(1);
    }
  });

  it("ends the run with what it throws, with the call and the cause [prepare-step.throws]", async () => {
    const cause = new Error("no budget");
    const { agent, model } = scripted([asks("1")], {
      tools: [look],
      prepareStep: async ({ index }) => {
        if (index === 1) throw cause;
      },
    });
    const failure = await start(agent).catch((error: unknown) => error as Error);

    expect(failure).toMatchObject({
      code: "internal",
      message: "prepareStep before model call 1 failed: no budget",
      output: { status: "error", toolCalls: [{ result: "Oslo seen" }] },
    });
    const causes = [];
    for (let each: unknown = failure; each instanceof Error; each = each.cause) causes.push(each);
    expect(causes).toContain(cause);
    expect(model.calls).toHaveLength(1);
  });

  it.each([
    [{ modle: 1 }, 'Unknown option "modle" of prepareStep(). Expected model, instructions, tools, toolChoice or stop.'],
    [{ tools: ["lok"] }, 'prepareStep().tools names "lok", which is not a tool here. Expected some of look.'],
    [{ tools: "look" }, "prepareStep().tools must be an array of names of tools"],
    [{ model: "gpt" }, "prepareStep().model must be a model provider"],
    [{ tools: [], toolChoice: "required" }, "The toolChoice of model call 0 needs a tool. There are no tools."],
    [{ toolChoice: { tool: "lok" } }, 'The toolChoice of model call 0 names "lok"'],
    ["stop", "prepareStep() must be an object"],
  ])("is refused for returning %j [prepare-step.refused]", async (returned, message) => {
    const { agent, model } = scripted(["Rain."], { tools: [look], prepareStep: () => returned as object });

    await expect(start(agent)).rejects.toMatchObject({
      code: "invalid_config",
      message: expect.stringContaining(message),
    });
    expect(model.calls).toEqual([]);
  });
});

describe("prepareStep", () => {
  it("is left when the run is cancelled while it waits", async () => {
    const abort = new AbortController();
    const prepareStep = () => new Promise<void>(() => abort.abort());
    const { agent } = scripted([], { prepareStep });

    await expect(agent.run("Hi", { signal: abort.signal })).rejects.toMatchObject({ code: "cancelled" });
  });

  it("must be a function", () => {
    expect(() => scripted([], { prepareStep: {} as PrepareStep })).toThrow("prepareStep must be a function");
  });
});
