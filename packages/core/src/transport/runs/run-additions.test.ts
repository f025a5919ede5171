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
