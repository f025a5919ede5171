import { describe, expect, it } from "vitest";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { RunService } from "../../runs/service/run-service.ts";
import { Team } from "../../agents/team/team.ts";
import { defineTool } from "../../agents/tool/define-tool.ts";
import { UserMemory } from "../../agents/memory/user-memory.ts";
import { Workflow } from "../../agents/workflow/workflow.ts";
import { Agent } from "../../agents/agent/agent.ts";
import type { ServedRunOpts } from "../../agents/run/run-options.ts";

const weather = { name: "get_weather", parameters: { type: "object", properties: { city: { type: "string" } } } };

describe("the additions of a run", () => {
  it("put the caller's instructions behind the agent's own", async () => {
    const model = new ScriptedModel("Hello.");
    const agent = new Agent({ name: "a", model, instructions: "Be brief." });
    await agent.run("Hi", { additions: { instructions: "Speak French." } });
    const system = model.calls[0]?.messages.filter(({ role }) => role === "system").map(({ content }) => content);
    expect(system).toEqual(["Be brief.", "Speak French."]);
  });

  it("put the caller's instructions behind those of a team", async () => {
    const model = new ScriptedModel("Hello.");
    const member = new Agent({ name: "m", model: new ScriptedModel("Yes.") });
    const team = new Team({ name: "t", mode: "coordinate", model, members: [member] });
    await team.run("Hi", { additions: { instructions: "Speak French." } });
    const system = model.calls[0]?.messages.filter(({ role }) => role === "system").map(({ content }) => content);
    expect(system?.[1]).toBe("Speak French.");
  });

  it("cap the length of an answer, and never raise it", async () => {
    const lengths: unknown[] = [];
    const model = new ScriptedModel("One.", "Two.", "Three.");
    const agent = new Agent({ name: "a", model, modelOptions: { maxTokens: 100 } });
    await agent.run("Hi", { additions: { maxTokens: 20 } });
    await agent.run("Hi", { additions: { maxTokens: 500 } });
    await new Agent({ name: "b", model }).run("Hi", { additions: { maxTokens: 30 } });
    for (const { options } of model.calls) lengths.push(options?.maxTokens);
    expect(lengths).toEqual([20, 100, 30]);
  });

  it("ask for an answer that fits the caller's schema, and repair one that does not", async () => {
    const model = new ScriptedModel("no JSON", '{"city":"Oslo"}');
    const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
    const output = await new Agent({ name: "a", model }).run("Hi", { additions: { outputSchema: schema } });
    expect(output).toMatchObject({ structured: { city: "Oslo" }, text: '{"city":"Oslo"}' });
  });

  it.each<[string, ServedRunOpts["additions"], string]>([
    ["a name that a tool of the agent has", { clientTools: [{ name: "own" }] }, "additions.clientTools[0].name"],
    ["one name twice", { clientTools: [weather, weather] }, "additions.clientTools[1].name"],
    ["a name that no tool may have", { clientTools: [{ name: "not a name" }] }, "additions.clientTools[0]"],
    ["a schema beside the agent's own", { outputSchema: { type: "object" } }, "additions.outputSchema"],
  ])("are refused with %s", (_title, additions, field) => {
    const own = defineTool({ name: "own", description: "Own.", parameters: { type: "object" }, execute: () => "x" });
    const structured = field.endsWith("Schema")
      ? { structuredOutput: { type: "object", properties: {} } as const }
      : {};
    const agent = new Agent({ name: "a", model: new ScriptedModel("x"), tools: [own], ...structured });
    expect(() => agent.stream("Hi", { additions })).toThrow(
      expect.objectContaining({ code: "invalid_request", fields: { field } }),
    );
  });

  it("are refused by a team that is given tools or a schema, and by a workflow", async () => {
    const member = new Agent({ name: "m", model: new ScriptedModel("Yes.") });
    const team = new Team({ name: "t", mode: "route", model: new ScriptedModel("x"), members: [member] });
    await expect(team.run("Hi", { additions: { clientTools: [weather] } })).rejects.toMatchObject({
      code: "invalid_request",
    });
    const workflow = new Workflow({ name: "w", initialState: {}, steps: [{ name: "s", agent: member }] });
    await expect(workflow.run({ additions: { instructions: "x" } })).rejects.toMatchObject({ code: "invalid_request" });
  });

  it("let a durable run wait for its client's tool, and go on with the result", async () => {
    const model = new ScriptedModel({ toolCalls: [{ name: "get_weather", arguments: { city: "Oslo" } }] }, "Rain.");
    const service = new RunService({ storage: new InMemoryStorage(), agents: { a: new Agent({ name: "a", model }) } });
    await service.serve();
    const { runId } = await service.accept({
      kind: "agent",
      name: "a",
      input: "Weather?",
      options: { additions: { clientTools: [weather] } },
    });
    for await (const event of service.events(runId, "host")) {
      if (event.type === "wait") await service.answer(runId, event.wait.id, { result: "rain" }, "host");
    }
    expect(await service.get(runId, "host")).toMatchObject({ status: "completed", output: { text: "Rain." } });
    await service.close();
  });
});

describe("the additions of several runs", () => {
  const fieldsOf = (name: string) => ({
    name,
    description: `Asks for ${name}.`,
    parameters: { type: "object", properties: { [name]: { type: "string" } }, required: [name] },
  });
  const own = defineTool({ name: "own", description: "Own.", parameters: { type: "object" }, execute: () => "done" });
  const empty = { type: "object", properties: {} };
  const each: Record<
    string,
    { additions: ServedRunOpts["additions"]; tools: object[]; maxTokens: number | undefined }
  > = {
    one: {
      additions: {
        instructions: "Only one.",
        maxTokens: 1,
        clientTools: [fieldsOf("a"), fieldsOf("b"), fieldsOf("c")],
      },
      tools: [fieldsOf("a"), fieldsOf("b"), fieldsOf("c")],
      maxTokens: 1,
    },
    two: {
      additions: {
        instructions: "Only two — é.",
        maxTokens: 2,
        clientTools: [fieldsOf("d"), { name: "b" }, { name: "e", description: " " }],
      },
      tools: [fieldsOf("d"), ...["b", "e"].map((name) => ({ name, description: name, parameters: empty }))],
      maxTokens: 2,
    },
    none: { additions: undefined, tools: [], maxTokens: undefined },
  };

  /** Makes an agent whose model calls the agent's own tool once in each run, and then answers. */
  function agentOf() {
    const model = new ScriptedModel().respond(({ messages }) =>
      messages.at(-1)?.role === "tool" ? "Done." : { toolCalls: [{ name: "own", arguments: {} }] },
    );
    return { model, agent: new Agent({ name: "a", model, tools: [own], instructions: "Be brief." }) };
  }

  /** Returns what each model call of a run received, by the run's input. */
  function receivedBy(model: ScriptedModel, input: string) {
    const calls = model.calls.filter(({ messages }) => messages.some(({ content }) => content === input));
    return calls.map(({ messages, options }) => ({
      system: messages.flatMap(({ role, content }) => (role === "system" ? [content] : [])),
      tools: options?.tools?.map(({ name, description, parameters }) => ({ name, description, parameters })),
      maxTokens: options?.maxTokens,
    }));
  }

  it("reach each of their own run's model calls whole, whether the runs go on at once or one behind the other", async () => {
    const { model, agent } = agentOf();
    const inputs = Object.keys(each);
    await Promise.all(inputs.map(async (input) => await agent.run(input, { additions: each[input]?.additions })));
    for (const input of inputs) await agent.run(input, { additions: each[input]?.additions });

    for (const [input, { additions, tools, maxTokens }] of Object.entries(each)) {
      const system = ["Be brief.", ...(additions === undefined ? [] : [additions.instructions])];
      const ownTool = { name: "own", description: "Own.", parameters: { type: "object" } };
      const call = { system, tools: [ownTool, ...tools], maxTokens };
      expect(receivedBy(model, input)).toMatchObject([call, call, call, call]);
      for (const { tools: received } of receivedBy(model, input)) expect(received).toHaveLength(1 + tools.length);
    }
  });

  it("check each answer by the schema of its own run", async () => {
    const schemaOf = (name: string) => ({
      type: "object",
      properties: { [name]: { type: "number" } },
      required: [name],
    });
    const model = new ScriptedModel().respond(({ messages }) => {
      return JSON.stringify({ [messages.at(-1)?.content as string]: 1 });
    });
    const agent = new Agent({ name: "a", model });
    const names = ["x", "y", "z"];
    for (let round = 0; round < 2; round++) {
      const outputs = await Promise.all(
        names.map(async (name) => await agent.run(name, { additions: { outputSchema: schemaOf(name) } })),
      );
      expect(outputs).toMatchObject(names.map((name) => ({ structured: { [name]: 1 } })));
    }
    expect(await agent.run("free")).toMatchObject({ structured: null });
    expect(model.calls).toHaveLength(7);
  });

  it("stay with a durable run in its later attempts, where its client answers one tool after the other", async () => {
    const steps = ["a", "b", "c"];
    const model = new ScriptedModel().respond(({ messages }) => {
      const next = steps[messages.filter(({ role }) => role === "tool").length];
      return next === undefined ? "Done." : { toolCalls: [{ name: next, arguments: { [next]: "x" } }] };
    });
    const service = new RunService({ storage: new InMemoryStorage(), agents: { a: new Agent({ name: "a", model }) } });
    await service.serve();
    const options = { additions: each["one"]?.additions };
    const { runId } = await service.accept({ kind: "agent", name: "a", input: "one", options });
    for await (const event of service.events(runId, "host")) {
      if (event.type === "wait") await service.answer(runId, event.wait.id, { result: "y" }, "host");
    }
    const { tools, maxTokens } = each["one"] ?? {};
    expect(receivedBy(model, "one")).toMatchObject(Array.from({ length: 4 }, () => ({ tools, maxTokens })));
    expect(await service.get(runId, "host")).toMatchObject({ status: "completed", attempts: 4 });
    await service.close();
  });
});

describe("wrong additions", () => {
  const tools = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `tool_${index}` }));
  const agent = new Agent({ name: "a", model: new ScriptedModel().respond(() => "Yes.") });

  it.each<[path: string, additions: object]>([
    ["additions.instructions", { instructions: 1 }],
    ["additions.clientTools", { clientTools: {} }],
    ["additions.clientTools", { clientTools: tools(129) }],
    ["additions.clientTools[1]", { clientTools: [weather, "x"] }],
    ["additions.clientTools[1].name", { clientTools: [weather, {}] }],
    ["additions.clientTools[1].name", { clientTools: [weather, { name: " " }] }],
    ["additions.clientTools[1].description", { clientTools: [weather, { name: "b", description: 1 }] }],
    ["additions.clientTools[2].parameters", { clientTools: [...tools(2), { name: "b", parameters: [] }] }],
    ["additions.outputSchema", { outputSchema: [] }],
    ["additions.maxTokens", { maxTokens: 0 }],
    ["additions.maxTokens", { maxTokens: 1.5 }],
  ])("are refused at %s, before the model is called", async (path, additions) => {
    const message = expect.stringContaining(`${path} must be`) as string;
    await expect(agent.run("Hi", { additions })).rejects.toMatchObject({ code: "invalid_request", message });
  });

  it("are not those at the bounds: 128 tools, one token, empty instructions and a blank description", async () => {
    const blank = { name: "blank", description: " ", parameters: {} };
    const additions = { instructions: "", maxTokens: 1, clientTools: [...tools(127), blank] };
    expect((await agent.run("Hi", { additions })).text).toBe("Yes.");
  });
});

describe("a run that stores nothing", () => {
  it("leaves no record of its session, its user or its title", async () => {
    const storage = new InMemoryStorage();
    const memory = new UserMemory({ storage, model: new ScriptedModel('{"facts":["Likes tea."]}') });
    const agent = new Agent({
      name: "a",
      model: new ScriptedModel("Hello."),
      storage,
      userMemory: memory,
      titles: { model: new ScriptedModel("A title") },
    });
    const opts: ServedRunOpts = { isUnstored: true, sessionId: "s", userId: "ada" };
    expect((await agent.run("I like tea.", opts)).text).toBe("Hello.");
    await memory.flush();
    await agent.sessions.flush();
    for (const namespace of ["sessions", "turns", "facts", "memory", "session-recent"]) {
      expect(await storage.list(namespace)).toEqual([]);
    }
  });
});

describe("a run that goes on behind a turn", () => {
  const teller = () => {
    const model = new ScriptedModel().respond(({ messages }) =>
      messages.flatMap(({ role, content }) => (role === "user" ? [content as string] : [])).join("; "),
    );
    return new Agent({ name: "a", model, storage: new InMemoryStorage() });
  };
  const at = (runId: string, seq: number): ServedRunOpts => ({ sessionId: "s", continueFrom: { runId, seq } });

  it("stays in the session behind its newest turn, and forks it behind an earlier one", async () => {
    const agent = teller();
    const first = await agent.run("one", { sessionId: "s" });
    const second = await agent.run("two", at(first.runId, 1));
    expect(second).toMatchObject({ sessionId: "s", text: "one; two" });
    const other = await agent.run("three", at(first.runId, 1));
    expect(other).toMatchObject({ sessionId: other.runId, text: "one; three" });
    expect((await agent.run("four", at(second.runId, 2))).text).toBe("one; two; four");
  });

  it("stands beside another run behind the same turn at the same time", async () => {
    const agent = teller();
    const first = await agent.run("one", { sessionId: "s" });
    const both = await Promise.all(["two", "three"].map(async (text) => await agent.run(text, at(first.runId, 1))));
    expect(both.map(({ text }) => text)).toEqual(["one; two", "one; three"]);
    expect(new Set(both.map(({ sessionId }) => sessionId)).size).toBe(2);
  });
});
