import { describe, expect, it } from "vitest";
import { getTextContent } from "../../base/message/content.ts";
import type { RunContext } from "../run/run-context.ts";
import type { ScriptedModel } from "../../testing/scripted-model.ts";
import type { ToolDef } from "../run/tool.ts";
import { callOf, look, scripted, toolNamed } from "./test/agents.ts";

const toolNames = ({ calls }: ScriptedModel) => calls.map(({ options }) => options.tools?.map(({ name }) => name));
const ada = { userId: "ada" };
const bob = { userId: "bob" };

/** A model that calls each tool that it is shown once, and then says the results. */
function callingAll(model: ScriptedModel): void {
  model.respond(({ messages, options }) =>
    messages.at(-1)?.role === "tool"
      ? messages.flatMap(({ role, content }) => (role === "tool" ? [getTextContent(content)] : [])).join()
      : { toolCalls: (options.tools ?? []).map(({ name }) => callOf(name, "x", name)) },
  );
}

describe.each(["function", "source"] as const)("tools of a %s of the context", (form) => {
  const make = async ({ userId = "" }: RunContext): Promise<ToolDef[]> => {
    // The later run has its tools first.
    if (userId === "ada") await new Promise((resolve) => setImmediate(resolve));
    if (userId === "") return [];
    // Two users have tools of the same names.
    const mine = toolNamed("mine", () => `mine: ${userId}`);
    return userId === "ada" ? [toolNamed("of_ada", () => "ada's"), mine] : [mine];
  };
  const tools =
    form === "function" ? make : [{ getTools: async (context?: RunContext) => await make(context as RunContext) }];

  it("are those of its run alone, also side by side [dynamic-tools.function] [dynamic-tools.source] [dynamic-tools.isolated]", async () => {
    const { agent, model } = scripted([], { tools });
    callingAll(model);
    const users = [{ userId: "ada" }, { userId: "bob" }, { userId: "carol" }, { userId: "ada" }];
    const together = await Promise.all(users.map(async (user) => (await agent.run("Hi", user)).text));
    const inTurn = [];
    for (const user of users) inTurn.push((await agent.run("Hi", user)).text);
    const listed = agent.tools;
    model.respond(() => "None.");
    await agent.run("Hi");

    // Those of a source are sorted by their names.
    const ofAda = form === "function" ? "ada's,mine: ada" : "mine: ada,ada's";
    const expected = [ofAda, "mine: bob", "mine: carol", ofAda];
    expect([together, inTurn]).toEqual([expected, expected]);
    expect(toolNames(model).at(-1)).toBeUndefined();
    expect(listed).toEqual([]);
  });
});

describe("a function of tools", () => {
  it("gets the context of the run, and may return sources [dynamic-tools.function]", async () => {
    const contexts: RunContext[] = [];
    const source = { getTools: async (context?: RunContext) => (context && contexts.push(context), [look]) };
    const tools = (context: RunContext) => (contexts.push(context), [source]);
    const { agent, model } = scripted(["1"], { tools });
    const { runId } = await agent.run("Hi", { ...ada, tenantId: "acme", metadata: { plan: "pro" } });

    expect(contexts).toHaveLength(2);
    for (const context of contexts) {
      expect(context).toMatchObject({ runId, userId: "ada", tenantId: "acme", metadata: { plan: "pro" } });
    }
    expect(toolNames(model)).toEqual([["look"]]);
  });

  it.each([
    [() => "look", /The result of the function tools must be an array of tools and tool sources/],
    [() => [look, look], /Two tools are named "look"/],
    [() => [{ name: "a b" }], /name of a tool must be/],
    [() => Promise.reject(new Error("no list")), /The function tools failed: no list/],
  ])(
    "ends the run before its first model call when it is wrong: %s [dynamic-tools.checked]",
    async (tools, message) => {
      const { agent, model } = scripted(["1"], { tools: tools as () => ToolDef[] });

      await expect(agent.run("Hi")).rejects.toThrow(message);
      expect(model.calls).toEqual([]);
    },
  );
});

describe("a tool source", () => {
  const cached = (text: string) => {
    let calls = 0;
    return toolNamed("look", () => `${text} ${(calls += 1)}`, { cache: { ttl: 60_000 } });
  };
  const asks = { toolCalls: [callOf("1")] };
  const resultsOf = async (agent: ReturnType<typeof scripted>["agent"], opts = {}) =>
    (await agent.run("Hi", opts)).toolCalls.map(({ result }) => result);

  it("is listed with its tools once loaded, when they do not depend on the run [dynamic-tools.isolated]", async () => {
    const { agent } = scripted(["1"], { tools: [{ getTools: async () => [look] }] });
    expect(agent.tools).toEqual([]);
    await agent.run("Hi");

    expect(agent.tools).toEqual([look]);
  });

  it("has a changed tool of the same name from its next load on, without cached results of the old [dynamic-tools.changed]", async () => {
    const described = (text: string) => ({ ...cached(text), description: `Looks, ${text}.` });
    const versions = [described("old"), described("new")];
    const { agent, model } = scripted([asks, "1", asks, "2"], {
      tools: [{ getTools: async () => [versions.shift() ?? look] }],
    });

    expect([await resultsOf(agent), await resultsOf(agent)]).toEqual([["old 1"], ["new 1"]]);
    expect(model.calls.map(({ options }) => options.tools?.[0]?.description)).toEqual([
      "Looks, old.",
      "Looks, old.",
      "Looks, new.",
      "Looks, new.",
    ]);
    expect(agent.tools[0]?.description).toBe("Looks, new.");
  });

  it("loses a wrong tool alone, in every run and with a warning [dynamic-tools.left-out]", async () => {
    const smell = toolNamed("smell", () => "x");
    const wrong = [
      { ...look, name: "bad_schema", parameters: { type: "string" } },
      { ...look, name: "bad_pattern", parameters: { type: "object", properties: { a: { pattern: "(" } } } },
      { ...look, name: "bad name" },
      null,
    ] as never[];
    const getTools = async () => [...wrong, { ...look }];
    const { agent, model } = scripted(["1", "2", "3", "4"], { tools: [smell, { getTools }] });
    const warnings: unknown[] = [];
    agent.eventBus.on("run.warning", (warning) => void warnings.push(warning));
    const ids = [(await agent.run("Hi")).runId, (await agent.run("Hi")).runId];
    const made = [(await agent.run("Hi", { tools: [{ getTools }] })).runId];

    expect(model.calls.map(({ options }) => options.tools?.map(({ name }) => name))).toEqual([
      ["smell", "look"],
      ["smell", "look"],
      ["look"],
    ]);
    expect(agent.tools.map(({ name }) => name)).toEqual(["smell", "look"]);
    const told = (runId: string) =>
      [undefined, "bad name", "bad_pattern", "bad_schema"].map((toolName) => ({
        runId,
        sessionId: expect.any(String),
        code: "tool_left_out",
        message: "A tool of a tool source is wrong, and was left out of the run.",
        fields: { ...(toolName !== undefined && { toolName }), errorCode: "invalid_config", error: expect.any(String) },
      }));
    expect(warnings).toEqual([...ids, ...made].flatMap(told));
  });

  it("is told for each run, also while the source returns the same tools [dynamic-tools.left-out]", async () => {
    const tools = [{ ...look, name: "bad name" }, { ...look }];
    const { agent } = scripted(["1", "2", "3"], { tools: [{ getTools: async () => tools }] });
    const warned: unknown[] = [];
    agent.eventBus.on("run.warning", ({ runId }) => void warned.push(runId));
    const ids: string[] = [];
    for (let run = 0; run < 3; run++) ids.push((await agent.run("Hi")).runId);

    expect(warned).toEqual(ids);
  });

  it("ends the run when it returns no array, or when a tool beside it is wrong [dynamic-tools.left-out]", async () => {
    const wrong = { ...look, parameters: { type: "string" } } as never;
    const source = { getTools: async () => [wrong] };
    for (const given of [undefined, { look }]) {
      const { agent } = scripted(["1"], { tools: [{ getTools: async () => given as never }] });

      await expect(agent.run("Hi")).rejects.toMatchObject({
        code: "invalid_config",
        message: expect.stringContaining("What the tool source tools[0] returns must be an array of tools"),
      });
    }
    expect(() => scripted([], { tools: [source, wrong] })).toThrow('tool "look".parameters');
    await expect(
      scripted(["1"], { tools: () => [source, { ...(wrong as object), name: "x" } as never] }).agent.run("Hi"),
    ).rejects.toMatchObject({
      message: expect.stringContaining('tool "x".parameters'),
    });
  });

  it("may change its tools in place [dynamic-tools.changed]", async () => {
    const tool = { ...cached("old") };
    const { agent, model } = scripted([asks, "1", asks, "2"], { tools: [{ getTools: async () => [tool] }] });
    const before = await resultsOf(agent);
    Object.assign(tool, { description: "New.", execute: () => "new" });

    expect([before, await resultsOf(agent)]).toEqual([["old 1"], ["new"]]);
    expect(model.calls.at(-1)?.options.tools?.[0]?.description).toBe("New.");
  });

  it("keeps cached results of a tool that it returns again, for each user [dynamic-tools.caches]", async () => {
    const [one, other] = [cached("one"), cached("other")];
    const getTools = async (context?: RunContext) => [context?.userId === "ada" ? one : other];
    const { agent } = scripted([asks, "1", asks, "2", asks, "3", asks, "4"], { tools: [{ getTools }] });
    const results = [];
    for (const opts of [ada, bob, ada, bob]) results.push(await resultsOf(agent, opts));

    expect(results).toEqual([["one 1"], ["other 1"], ["one 1"], ["other 1"]]);
  });
});
