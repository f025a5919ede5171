import { describe, expect, it } from "vitest";
import { Agent } from "../agent/agent.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Team } from "./team.ts";
import { delegate, lastSaid, member, readAll, sayer, textOf } from "./test/teams.ts";

describe("a team that coordinates", () => {
  it("delegates to several members at once, again after their results, and answers [team.coordinate] [team.run]", async () => {
    const [ann, bob] = [
      sayer("ann", { text: "from ann", delayMs: 20 }),
      sayer("bob", { text: "from bob", delayMs: 20 }),
    ];
    const model = new ScriptedModel(delegate("ann", "bob"), delegate("ann"), "The answer.");
    const team = new Team({ name: "team", mode: "coordinate", model, members: [ann.agent, bob.agent] });
    const output = await team.run("Question?");

    expect(output).toMatchObject({ text: "The answer.", status: "completed", agentName: "team" });
    expect(output.toolCalls.map(({ toolName, args, result }) => [toolName, args, result])).toEqual([
      ["delegate_to_ann", { task: "task for ann" }, "from ann"],
      ["delegate_to_bob", { task: "task for bob" }, "from bob"],
      ["delegate_to_ann", { task: "task for ann" }, "from ann"],
    ]);
    expect(lastSaid(bob.model)).toEqual(["task for bob"]);
    expect(model.calls[1]?.messages.slice(-2).map(({ content }) => content)).toEqual(["from ann", "from bob"]);
  });

  it("runs members in parallel", async () => {
    const both = Promise.withResolvers<void>();
    let waiting = 0;
    const meet = async () => {
      if (++waiting === 2) both.resolve();
      await both.promise;
      return "met";
    };
    const tool = { name: "meet", description: "Meets.", parameters: { type: "object" }, execute: meet };
    const members = ["ann", "bob"].map(
      (name) => member(name, [{ toolCalls: [{ name: "meet" }] }, "we met"], { tools: [tool] }).agent,
    );
    const model = new ScriptedModel(delegate("ann", "bob"), "done");
    const { toolCalls } = await new Team({ name: "team", mode: "coordinate", model, members }).run("Meet.");

    expect(toolCalls.map(({ result }) => result)).toEqual(["we met", "we met"]);
  });

  it("streams the orchestrator's answer, with the chunks of each delegation [team.stream]", async () => {
    const members = [sayer("ann", "SECRET").agent, sayer("bob", "SECRET").agent];
    const model = new ScriptedModel(delegate("ann", "bob"), "The answer.");
    const chunks = await readAll(new Team({ name: "team", mode: "coordinate", model, members }).stream("Question?"));

    expect(textOf(chunks)).toBe("The answer.");
    expect(chunks.flatMap((chunk) => (chunk.type === "tool_call_start" ? [chunk.toolCall.name] : []))).toEqual([
      "delegate_to_ann",
      "delegate_to_bob",
    ]);
    expect(chunks.filter(({ type }) => type === "tool_call_end")).toHaveLength(2);
    expect(chunks.at(-1)).toMatchObject({ type: "finish", usage: { totalTokens: 60 } });
  });

  it("shows a member its earlier tasks of the same run, and nothing of the team's conversation", async () => {
    const ann = sayer("ann", "fine");
    const model = new ScriptedModel(delegate("ann"), delegate("ann"), "done");
    await new Team({ name: "team", mode: "coordinate", model, members: [ann.agent] }).run("SECRET?");

    expect(ann.model.calls[1]?.messages.map(({ content }) => content)).toEqual([
      "task for ann",
      "fine",
      "task for ann",
    ]);
  });

  it("passes images of the input on with the task [team.run]", async () => {
    const ann = sayer("ann", "A cat.");
    const picture = { type: "image" as const, data: "aGk=", mimeType: "image/png" };
    const model = new ScriptedModel(delegate("ann"), "done");
    const team = new Team({ name: "team", mode: "coordinate", model, members: [ann.agent] });
    await team.run([{ type: "text", text: "What is it?" }, picture]);

    expect(ann.model.calls[0]?.messages.at(-1)?.content).toEqual([{ type: "text", text: "task for ann" }, picture]);
  });

  it("gives every member a delegation tool with a valid name", async () => {
    const names = ["Night owl", "Night_owl", "夜のフクロウ", "x".repeat(128), `${"x".repeat(127)}y`];
    const members = names.map((name) => new Agent({ name, model: new ScriptedModel(`I am ${name}`) }));
    const model = new ScriptedModel(({ options }) => {
      const tools = options.tools ?? [];
      return { toolCalls: tools.map(({ name }, index) => ({ id: `c${index}`, name, arguments: { task: "Who?" } })) };
    }, "done");
    const { toolCalls } = await new Team({ name: "team", mode: "coordinate", model, members }).run("Who?");

    expect(toolCalls.map(({ result }) => result)).toEqual(names.map((name) => `I am ${name}`));
    expect(new Set(toolCalls.map(({ toolName }) => toolName)).size).toBe(names.length);
    for (const { toolName } of toolCalls) expect(toolName).toMatch(/^delegate_to_[A-Za-z0-9_-]{1,52}$/);
  });
});
