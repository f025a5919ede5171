import { describe, expect, it } from "vitest";
import type { Artifact } from "../../base/message/tool-call.ts";
import type { TurnRecord } from "../../sessions/session/turn-record.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { runnableAsTool } from "../tool/runnable-as-tool.ts";
import type { ToolDef } from "../run/tool.ts";
import { Agent } from "../agent/agent.ts";
import { Team } from "./team.ts";
import { agrees, allModes, member, memberTurns, orchestratorTurns, readAll, sayer } from "./test/teams.ts";
import type { TeamMode } from "./team-config.ts";

const chart: Artifact = { type: "chart", data: [1] };
const draw: ToolDef = {
  name: "draw",
  description: "Draws.",
  parameters: { type: "object" },
  execute: () => ({ content: "drawn", artifacts: [chart] }),
};

/** A member that draws a chart and answers. */
const drawer = (name: string, mode: TeamMode) => {
  const turns = [{ toolCalls: [{ name: "draw" }] }, `from ${name}`, ...(mode === "collaborate" ? [agrees] : [])];
  return member(name, turns, { tools: [draw] }).agent;
};

function teamOf(mode: TeamMode, storage = new InMemoryStorage()): Team {
  const model = new ScriptedModel(...orchestratorTurns(mode));
  const members = [drawer("ann", mode), sayer("bob", mode === "collaborate" ? agrees : "from bob").agent];
  return new Team({ name: "team", mode, model, members, storage });
}

describe.each(["coordinate", "broadcast", "collaborate"] as const)("a team of mode %s", (mode) => {
  it("gives the members' artifacts with their delegations: streamed, in the output, stored [team.tool-results]", async () => {
    const storage = new InMemoryStorage();
    const stream = teamOf(mode, storage).stream("Question?", { sessionId: "s" });
    const chunks = await readAll(stream);
    const output = await stream.output;

    const results = chunks.filter((chunk) => chunk.type === "tool_result");
    const [ann] = results.filter(({ toolName }) => toolName === "delegate_to_ann");
    expect(ann).toMatchObject({ result: "from ann", artifacts: [chart] });
    expect(results).toHaveLength(chunks.filter(({ type }) => type === "tool_call_end").length);
    const own = { toolCallId: ann?.toolCallId, toolName: "delegate_to_ann" };
    expect(output.artifacts).toEqual([{ ...chart, ...own }]);
    const turns = (await storage.list("turns")).map(({ value }) => value as unknown as TurnRecord);
    expect(turns[0]?.toolResults).toEqual([{ ...own, artifacts: [chart] }]);
  });
});

describe("a team of mode route", () => {
  it("gives the artifacts of its member once: streamed and in the output [team.tool-results]", async () => {
    const stream = teamOf("route").stream("Question?");
    const chunks = await readAll(stream);

    const results = chunks.filter((chunk) => chunk.type === "tool_result");
    expect(results).toMatchObject([
      { toolName: "draw", result: "drawn", artifacts: [chart] },
      { toolName: "delegate_to_ann", result: "from ann" },
    ]);
    expect(results[1]).not.toHaveProperty("artifacts");
    expect((await stream.output).artifacts).toEqual([{ ...chart, toolCallId: "1", toolName: "draw" }]);
  });

  it("tells of a member that failed, with its error, in the events", async () => {
    const failing = sayer("ann", { error: new Error("broken") }).agent;
    const team = new Team({ name: "t", mode: "route", model: new ScriptedModel(), members: [failing] });
    const told: unknown[] = [];
    team.eventBus.on("tool.result", ({ toolName, error }) => void told.push([toolName, error]));
    await team.run("Question?").catch(() => undefined);

    expect(told).toEqual([["delegate_to_ann", expect.stringMatching(/^ann failed/)]]);
  });
});

describe("an answer of a run within another", () => {
  it("brings its artifacts along as the result of a tool, through two layers [team.tool-results]", async () => {
    const inner = new Agent({
      name: "inner",
      model: new ScriptedModel(delegateTo("ask_drawer"), "asked"),
      tools: [runnableAsTool(drawer("drawer", "route"))],
    });
    const outer = new Agent({
      name: "outer",
      model: new ScriptedModel(delegateTo("ask_inner"), "done"),
      tools: [runnableAsTool(inner)],
    });

    const { artifacts, toolCalls } = await outer.run("Draw.");

    expect(artifacts).toEqual([{ ...chart, toolCallId: "1", toolName: "ask_inner" }]);
    expect(toolCalls[0]?.artifacts).toEqual([chart]);
  });
});

function delegateTo(name: string) {
  return { toolCalls: [{ name, arguments: { input: "Draw." } }] };
}

describe.each(allModes)("a team of mode %s whose members name sources", (mode) => {
  const sourcesOf = (name: string) => [
    { id: `page-${name}`, url: `https://example.com/${name}` },
    { id: "shared", url: "https://example.com/shared" },
  ];
  const seen = ["page-ann", "shared", ...(mode === "route" ? [] : ["page-bob"])];
  const team = () => {
    const members = ["ann", "bob"].map((name) => {
      const answers = memberTurns(mode, `from ${name}`).map((answer) =>
        typeof answer === "string" ? { text: answer, sources: sourcesOf(name) } : answer,
      );
      return member(name, answers).agent;
    });
    const own = { text: "done", sources: sourcesOf("ann") };
    const turns = orchestratorTurns(mode).map((answer) => (answer === "done" ? own : answer));
    return new Team({ name: "team", mode, model: new ScriptedModel(...turns), members, storage });
  };
  const storage = new InMemoryStorage();

  it("has them in its output, its stream and its turn, each once [team.sources]", async () => {
    const output = await team().run("Question?", { sessionId: "s" });
    const stream = team().stream("Question?", { sessionId: "t" });
    const chunks = (await readAll(stream)).filter((chunk) => chunk.type === "source");

    expect(output.sources?.map(({ id }) => id).toSorted()).toEqual(seen.toSorted());
    expect((await stream.output).sources?.map(({ id }) => id).toSorted()).toEqual(seen.toSorted());
    expect(chunks.map(({ id }) => id).toSorted()).toEqual(seen.toSorted());
    const turns = (await storage.list("turns")).map(({ value }) => value as unknown as TurnRecord);
    expect(turns.map(({ sources = [] }) => sources.length)).toEqual([seen.length, seen.length]);
  });
});

it("an agent that asks another as a tool has the sources of its answer, also in its stream [team.sources]", async () => {
  const sources = [{ id: "1", url: "https://example.com/oslo" }];
  const inner = sayer("inner", { text: "Rain.", sources }).agent;
  const asks = { toolCalls: [{ name: "ask_inner", arguments: { input: "Weather?" } }] };
  const { agent } = member("outer", [asks, "Rain.", asks, "Rain."], { tools: [runnableAsTool(inner)] });
  const stream = agent.stream("Weather?");
  const chunks = await readAll(stream);

  expect((await agent.run("Weather?")).sources).toEqual(sources);
  expect((await stream.output).sources).toEqual(sources);
  expect(chunks.filter(({ type }) => type === "source")).toEqual([{ type: "source", ...sources[0] }]);
});
