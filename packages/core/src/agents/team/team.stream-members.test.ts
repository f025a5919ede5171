import { describe, expect, it } from "vitest";
import type { RunEvents } from "../run/run-events.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import type { TeamConfig, TeamMode } from "./team-config.ts";
import { Team } from "./team.ts";
import { agrees, allModes, delegate, member, memberTurns, orchestratorTurns, readAll, sayer } from "./test/teams.ts";

const texts = { ann: ["an", "n"], bob: ["b", "ob"] };

function teamOf(mode: TeamMode, config: Partial<TeamConfig> = {}): Team {
  const members = (["ann", "bob"] as const).map((name) => {
    const [turn, ...votes] = memberTurns(mode, name);
    return member(name, [{ ...(turn as object), text: texts[name], thinking: "hm" }, ...votes]).agent;
  });
  return new Team({ name: "team", mode, model: new ScriptedModel(...orchestratorTurns(mode)), members, ...config });
}

describe.each(allModes)("the stream of a team of mode %s", (mode) => {
  it("has the answer and nothing else in its texts by default [team.stream-members]", async () => {
    const stream = teamOf(mode).stream("?");
    const chunks = await readAll(stream);

    const joined = chunks.map((chunk) => (chunk.type === "text" ? chunk.text : "")).join("");
    expect(joined).toBe((await stream.output).text);
    expect(chunks.filter((chunk) => "member" in chunk)).toEqual([]);
    expect(chunks.filter(({ type }) => type === "finish")).toHaveLength(1);
  });

  it("gives the answer as textStream, without the members' texts", async () => {
    const stream = teamOf(mode, { streamMembers: true }).stream("?");
    const shown = (await Array.fromAsync(stream.textStream)).join("");

    expect(shown).toBe((await stream.output).text);
  });
});

describe.each(["coordinate", "broadcast", "collaborate"] as const)("streamMembers in mode %s", (mode) => {
  it("streams the text of each member with its name and the id of its delegation [team.stream-members]", async () => {
    const stream = teamOf(mode, { streamMembers: true }).stream("?");
    const chunks = await readAll(stream);
    const { text, toolCalls } = await stream.output;

    for (const name of ["ann", "bob"]) {
      const [delegation] = toolCalls.filter(({ toolName }) => toolName === `delegate_to_${name}`);
      const own = chunks.filter((chunk) => "member" in chunk && chunk.member === name);
      const delegationId = delegation?.toolCallId;
      expect(own).toEqual([
        { type: "thinking", text: "hm", member: name, delegationId },
        ...texts[name as "ann"].map((piece) => ({ type: "text", text: piece, member: name, delegationId })),
      ]);
    }
    const ofTeam = chunks.flatMap((chunk) => (chunk.type === "text" && chunk.member === undefined ? [chunk.text] : []));
    expect(ofTeam.join("")).toBe(text);
  });

  it("puts a member's text between the start and the result of its delegation", async () => {
    const chunks = await readAll(teamOf(mode, { streamMembers: true }).stream("?"));
    const places = (delegationId: string) =>
      chunks.flatMap((chunk, index) => ("delegationId" in chunk && chunk.delegationId === delegationId ? [index] : []));

    const starts = chunks.flatMap((chunk) => (chunk.type === "tool_call_start" ? [chunk.toolCall.id] : []));
    for (const id of starts.slice(0, 2)) {
      const start = chunks.findIndex((chunk) => chunk.type === "tool_call_start" && chunk.toolCall.id === id);
      const end = chunks.findIndex((chunk) => chunk.type === "tool_result" && chunk.toolCallId === id);
      expect(places(id).every((place) => start < place && place < end)).toBe(true);
    }
  });

  it("changes nothing about a run without a stream, nor its output", async () => {
    const { text, toolCalls, usage } = await teamOf(mode).run("?");
    const shown = await teamOf(mode, { streamMembers: true }).run("?");
    const streamed = await teamOf(mode, { streamMembers: true }).stream("?").output;

    for (const output of [shown, streamed]) {
      expect([output.text, output.usage]).toEqual([text, usage]);
      expect(output.toolCalls.map(({ toolName, result }) => [toolName, result])).toEqual(
        toolCalls.map(({ toolName, result }) => [toolName, result]),
      );
    }
  });

  it("pulls no more from a member than one chunk ahead of the reader", async () => {
    const taken: number[] = [];
    const { agent, model } = sayer("ann", "");
    model.stream = async function* stream() {
      for (let piece = 0; piece < 100; piece++) {
        taken.push(piece);
        yield { type: "text", text: "x" };
      }
      yield { type: "finish", finishReason: "stop" };
    };
    const turns = mode === "coordinate" ? [delegate("ann"), "done"] : ["done"];
    const stream = new Team({
      name: "team",
      mode,
      model: new ScriptedModel(...turns),
      members: [agent],
      streamMembers: true,
    }).stream("?");
    const reader = stream[Symbol.asyncIterator]();
    let read = 0;
    while (read < 3) {
      const { value } = await reader.next();
      if (value !== undefined && "member" in value) read += 1;
    }
    await new Promise(setImmediate);

    expect(taken.length).toBeLessThanOrEqual(6);
    await reader.return?.();
  });

  it("ends its members with the stream that its reader leaves", async () => {
    const ann = member("ann", [{ text: ["a", "b"], chunkDelayMs: 600_000 }]);
    const turns = mode === "coordinate" ? [delegate("ann"), "done"] : ["done"];
    const model = new ScriptedModel(...turns);
    const team = new Team({ name: "team", mode, model, members: [ann.agent], streamMembers: true });
    for await (const chunk of team.stream("?")) if ("member" in chunk) break;

    expect(ann.model.calls[0]?.end).toBe("abandoned");
  });
});

describe("streamMembers", () => {
  it("streams no votes of a discussion", async () => {
    const chunks = await readAll(teamOf("collaborate", { streamMembers: true }).stream("?"));

    const vote = JSON.stringify((agrees as { structured: object }).structured);
    const said = chunks.flatMap((chunk) => ("member" in chunk && chunk.type === "text" ? [chunk.text] : []));
    expect(said.join("")).not.toContain(vote);
    expect(said.toSorted()).toEqual(["an", "b", "n", "ob"]);
  });

  it("names a member of a member by its path, with the id of its own delegation", async () => {
    const inner = new Team({
      name: "inner",
      mode: "broadcast",
      model: new ScriptedModel("inner"),
      members: [sayer("leaf", "leaf").agent],
      streamMembers: true,
    });
    const model = new ScriptedModel("outer");
    const outer = new Team({ name: "outer", mode: "broadcast", model, members: [inner], streamMembers: true });
    const calls: RunEvents["tool.call"][] = [];
    outer.eventBus.on("tool.call", (call) => void calls.push(call));
    const chunks = await readAll(outer.stream("?"));

    const [ofOuter, ofInner] = calls.map(({ toolCallId }) => toolCallId);
    expect(chunks.filter(({ type }) => type === "text")).toEqual([
      { type: "text", text: "leaf", member: "inner/leaf", delegationId: ofInner },
      { type: "text", text: "inner", member: "inner", delegationId: ofOuter },
      { type: "text", text: "outer" },
    ]);
  });

  it("shows what the members of a routed team say, beside its answer", async () => {
    const inner = new Team({
      name: "inner",
      mode: "broadcast",
      model: new ScriptedModel("answer"),
      members: [sayer("leaf", "leaf").agent],
      streamMembers: true,
    });
    const team = new Team({ name: "team", mode: "route", model: new ScriptedModel(), members: [inner] });
    const stream = team.stream("?");
    const chunks = await readAll(stream);

    expect(chunks.filter(({ type }) => type === "text")).toMatchObject([
      { text: "leaf", member: "inner/leaf" },
      { text: "answer", speaker: "inner" },
    ]);
    expect((await stream.output).text).toBe("answer");
  });

  it("names the speaker of a route within a route by its path", async () => {
    const inner = new Team({
      name: "in",
      mode: "route",
      model: new ScriptedModel(),
      members: [sayer("ann", "x").agent],
    });
    const team = new Team({ name: "out", mode: "route", model: new ScriptedModel(), members: [inner] });
    const chunks = await readAll(team.stream("?"));

    expect(chunks.filter(({ type }) => type === "text")).toMatchObject([{ text: "x", speaker: "in/ann" }]);
  });

  it("must be true or false", () => {
    expect(() => teamOf("broadcast", { streamMembers: "yes" as never })).toThrow(/streamMembers must be true or false/);
  });
});

describe("the events of a member's run", () => {
  it.each(allModes)("have the id of the call that delegated to it, in mode %s [events.caller]", async (mode) => {
    const team = teamOf(mode);
    const starts: RunEvents["run.start"][] = [];
    team.eventBus.on("run.start", (event) => void starts.push(event));
    const { toolCalls, runId } = await team.run("?", { sessionId: "s1", userId: "ada", tenantId: "acme" });

    const members = starts.filter(({ parentRunId }) => parentRunId === runId);
    const delegations = toolCalls.map(({ toolCallId }) => toolCallId);
    expect(new Set(members.map(({ delegationId }) => delegationId))).toEqual(new Set(delegations));
    expect(members).toHaveLength(delegations.length);
    for (const start of starts) expect(start).toMatchObject({ sessionId: "s1", userId: "ada", tenantId: "acme" });
    expect(starts.find((start) => start.runId === runId)).not.toHaveProperty("delegationId");
  });
});
