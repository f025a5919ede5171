import { describe, expect, it } from "vitest";
import { assertVendorWouldAccept } from "../../sessions/history/test/assert-vendor-would-accept.ts";
import type { ContentPart } from "../../base/message/content.ts";
import type { RunContext } from "../run/run-context.ts";
import { until } from "../../testing/conformance/assert.ts";
import { defineTool } from "../tool/define-tool.ts";
import { callOf, look, scripted, toolNamed } from "./test/agents.ts";

const ways = ["run", "stream"] as const;

describe.each(ways)("the loop of an agent (%s)", (way) => {
  const start = async (agent: ReturnType<typeof scripted>["agent"], input = "Weather?") =>
    way === "run" ? await agent.run(input) : await agent.stream(input).output;

  it("returns the model's answer [agent.run] [agent.stream]", async () => {
    const { agent, model } = scripted(["Take an umbrella."]);

    expect((await start(agent)).text).toBe("Take an umbrella.");
    expect(model.calls.map(({ kind, messages }) => [kind, messages])).toEqual([
      [way === "run" ? "generate" : "stream", [{ role: "user", content: "Weather?" }]],
    ]);
  });

  it("takes content and options, and returns the output [agent.run] [agent.stream]", async () => {
    const contexts: RunContext[] = [];
    const hooks = { beforeRun: (context: RunContext) => void contexts.push(context) };
    const { agent, model } = scripted(["Rain."], { hooks });
    const input: ContentPart[] = [
      { type: "text", text: "Where is this?" },
      { type: "image", data: "aGk=", mimeType: "image/png" },
    ];
    const opts = { sessionId: "s", userId: "ada", metadata: { plan: "free" }, modelOptions: { maxTokens: 7 } };

    const output = way === "run" ? await agent.run(input, opts) : await agent.stream(input, opts).output;

    expect(contexts).toMatchObject([{ sessionId: "s", userId: "ada", metadata: { plan: "free" } }]);
    expect(model.calls).toMatchObject([{ messages: [{ role: "user", content: input }], options: { maxTokens: 7 } }]);
    expect(output).toMatchObject({ text: "Rain.", status: "completed", sessionId: "s", userId: "ada" });
    expect(output.messages).toMatchObject([{ content: input }, { role: "assistant", content: "Rain." }]);
  });

  it("gives tools and tool results to the model", async () => {
    const asks = { text: "I look.", toolCalls: [callOf("1")] };
    const { agent, model } = scripted([asks, "Rain."], { tools: [look], instructions: "Be short." });

    const output = await start(agent);

    expect(output.text).toBe("Rain.");
    expect(model.calls[1]?.messages).toEqual([
      { role: "system", content: "Be short." },
      { role: "user", content: "Weather?" },
      { role: "assistant", content: "I look.", toolCalls: [callOf("1")] },
      { role: "tool", toolCallId: "1", content: "Oslo seen" },
    ]);
    for (const { options } of model.calls) {
      expect(options.tools).toMatchObject([{ name: "look", parameters: { required: ["at"] } }]);
      expect(options.toolChoice).toBeUndefined();
    }
  });

  it("runs calls in parallel and keeps their order, in whatever order they end", async () => {
    const gates = new Map(["a", "b", "c"].map((at) => [at, Promise.withResolvers<void>()]));
    const begun: string[] = [];
    const wait = toolNamed("look", async (at) => {
      begun.push(at);
      await gates.get(at)?.promise;
      return `${at} seen`;
    });
    const toolCalls = [callOf("1", "a"), callOf("2", "b"), callOf("3", "c")];
    const { agent, model } = scripted([{ toolCalls }, "Done."], { tools: [wait] });
    const output = start(agent);
    await until(() => begun.length === 3);
    for (const at of ["c", "a", "b"]) {
      gates.get(at)?.resolve();
      await new Promise((resolve) => setImmediate(resolve));
    }

    expect((await output).toolCalls.map(({ toolCallId, result }) => [toolCallId, result])).toEqual([
      ["1", "a seen"],
      ["2", "b seen"],
      ["3", "c seen"],
    ]);
    expect(model.calls[1]?.messages.slice(2).map(({ toolCallId }) => toolCallId)).toEqual(["1", "2", "3"]);
  });

  it.each([
    [{}, 32],
    [{ maxParallelTools: 1 }, 1],
    [{ maxParallelTools: 50 }, 40],
  ])(
    "runs so many calls at a time with %j, of 40 that the model asks for: %i [agent.max-parallel-tools]",
    async (config, most) => {
      let [running, peak] = [0, 0];
      const wait = toolNamed("look", async () => {
        peak = Math.max(peak, ++running);
        await new Promise((resolve) => setImmediate(resolve));
        running--;
        return "seen";
      });
      const toolCalls = Array.from({ length: 40 }, (_, index) => callOf(String(index)));
      const { agent } = scripted([{ toolCalls }, "Done."], { tools: [wait], ...config });

      expect((await start(agent)).toolCalls.map(({ toolCallId }) => toolCallId)).toEqual(toolCalls.map(({ id }) => id));
      expect(peak).toBe(most);
    },
  );

  it("keeps the other calls when one fails", async () => {
    const fails = toolNamed("fails", () => {
      throw new Error("no key");
    });
    const toolCalls = [callOf("1"), callOf("2", "Oslo", "fails"), callOf("3", "Rome")];
    const { agent } = scripted([{ toolCalls }, "Done."], { tools: [look, fails] });

    const { toolCalls: results, status } = await start(agent);

    expect(status).toBe("completed");
    expect(results.map(({ error }) => error === undefined)).toEqual([true, false, true]);
    expect(results.map(({ result }) => result)).toEqual(["Oslo seen", expect.stringContaining("failed"), "Rome seen"]);
  });

  it("makes ten round trips by default, and then one model call without tools [agent.max-tool-roundtrips]", async () => {
    const { agent, model } = scripted([], { tools: [look] });
    let asked = 0;
    model.respond(({ options }) =>
      options.toolChoice === "none" ? "So be it." : { toolCalls: [callOf(`c${asked++}`)] },
    );

    const output = await start(agent);

    expect([output.text, output.toolCalls.length, model.calls.length]).toEqual(["So be it.", 10, 11]);
    expect(model.calls.at(-1)?.options).toMatchObject({ toolChoice: "none", tools: [{ name: "look" }] });
    assertVendorWouldAccept(model.calls.at(-1)?.messages ?? []);
  });

  it.each([0, 1, 3])("makes no more than %d round trips when configured, whatever the model calls", async (most) => {
    let executed = 0;
    const counted = toolNamed("look", () => `seen ${(executed += 1)}`);
    const { agent, model } = scripted([], { tools: [counted], maxToolRoundtrips: most });
    let asked = 0;
    model.respond(() => ({ text: "Hm.", toolCalls: [callOf(`c${asked++}`)] }));

    const output = await start(agent);

    expect([output.text, output.status]).toEqual(["Hm.", "completed"]);
    expect([executed, output.toolCalls.length, model.calls.length]).toEqual([most, most, most + 1]);
    expect(output.messages?.at(-1)).toEqual({ role: "assistant", content: "Hm." });
  });

  it("sends no tools to the model when there are none", async () => {
    const { agent, model } = scripted(["Hi."], { maxToolRoundtrips: 0 });
    await start(agent);

    expect(model.calls[0]?.options).not.toHaveProperty("tools");
    expect(model.calls[0]?.options).not.toHaveProperty("toolChoice");
  });

  it("gives tools the context of the run, with the call's own facts [tool.execute]", async () => {
    const contexts: unknown[] = [];
    const tell = toolNamed("look", (_at, context) => {
      contexts.push({ ...context });
      return "seen";
    });
    const { agent } = scripted([{ toolCalls: [callOf("1"), callOf("2")] }, "Done."], { tools: [tell] });
    const { runId, sessionId } = await start(agent);

    expect(contexts).toMatchObject([
      { runId, sessionId, agentName: "helper", metadata: {}, toolCallId: "1" },
      { runId, sessionId, agentName: "helper", metadata: {}, toolCallId: "2" },
    ]);
    expect(new Set(contexts.map((context) => (context as { idempotencyKey: string }).idempotencyKey)).size).toBe(2);
  });

  it("keeps artifacts from the model and puts them in the output", async () => {
    const artifacts = [{ type: "chart", data: { points: [1, 2] } }];
    const draw = toolNamed("look", () => ({ content: "drawn", artifacts }));
    const { agent, model } = scripted([{ toolCalls: [callOf("1")] }, "Done."], { tools: [draw] });

    const output = await start(agent);

    expect(output.toolCalls).toMatchObject([{ result: "drawn", artifacts }]);
    expect(JSON.stringify(model.calls[1]?.messages)).not.toContain("points");
  });

  it("loads the tools of sources when a run begins", async () => {
    let asked = 0;
    const source = { getTools: async () => [toolNamed(`look${++asked}`, () => "seen")] };
    const { agent, model } = scripted(["One.", "Two."], { tools: [look, source] });
    await start(agent);
    await start(agent);

    const names = model.calls.map(({ options }) => options.tools?.map(({ name }) => name));
    expect(names).toEqual([
      ["look", "look1"],
      ["look", "look2"],
    ]);
  });

  it("takes a changed tool of the same name when a source is loaded again, with no cached result [tool.source-changed]", async () => {
    const cache = { ttl: 60_000 };
    const versions = ["first", "second"].map((version) =>
      defineTool({
        name: "look",
        description: `The ${version}.`,
        parameters: { type: "object", properties: { [version]: { type: "string" } }, additionalProperties: false },
        execute: () => version,
        cache,
      }),
    );
    let loads = 0;
    const source = { getTools: async () => versions.slice(loads++ && 1, loads) };
    const call = { toolCalls: [{ id: "1", name: "look", arguments: {} }] };
    const { agent, model } = scripted([call, "One.", call, "Two."], { tools: [source] });
    const outputs = [await start(agent), await start(agent)];

    expect(outputs.map(({ toolCalls }) => toolCalls[0]?.result)).toEqual(["first", "second"]);
    expect(model.calls[2]?.options.tools).toMatchObject([
      { name: "look", description: "The second.", parameters: { properties: { second: { type: "string" } } } },
    ]);
    expect(agent.tools).toEqual([versions[1]]);
  });

  it("keeps the cached results of a source that returns the same tools again", async () => {
    let executions = 0;
    const cached = toolNamed("look", () => `execution ${++executions}`, { cache: { ttl: 60_000 } });
    const source = { getTools: async () => [cached] };
    const call = { toolCalls: [callOf("1")] };
    const { agent } = scripted([call, "One.", call, "Two."], { tools: [source] });
    const outputs = [await start(agent), await start(agent)];

    expect(outputs.map(({ toolCalls }) => toolCalls[0]?.result)).toEqual(["execution 1", "execution 1"]);
  });

  it("fails a run whose tool source fails, or has a name twice", async () => {
    const broken = scripted(["Hi."], { tools: [{ getTools: async () => await Promise.reject(new Error("down")) }] });
    const doubled = scripted(["Hi."], { tools: [look, { getTools: async () => [look] }] });

    await expect(start(broken.agent)).rejects.toMatchObject({ code: "internal" });
    await expect(start(doubled.agent)).rejects.toMatchObject({ code: "invalid_config" });
    expect([broken.model.calls, doubled.model.calls]).toEqual([[], []]);
  });
});
