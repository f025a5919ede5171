import { Agent, Team } from "@troupe/core";
import type { TeamMode } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { expect, it } from "vitest";
import { serveUsers } from "../test/test-client.ts";

/** Makes a team that streams its members' texts. */
function teamOf(mode: TeamMode): Team {
  const sayer = (name: string) => {
    const model = new ScriptedModel().respond(({ messages }) => {
      const isVote = JSON.stringify(messages.at(-1)).includes("Do you agree");
      return isVote ? { structured: { agree: true } } : `${name} ist da é.`;
    });
    return new Agent({ name, model });
  };
  const delegations = ["ann", "bob"].map((name) => ({ name: `delegate_to_${name}`, arguments: { task: "Hi." } }));
  const model = new ScriptedModel().respond(({ messages }) => {
    if (mode === "route") return { structured: { member: "bob" } };
    const isAsked = mode !== "coordinate" || messages.some(({ role }) => role === "tool");
    return isAsked ? "Das ist alles." : { toolCalls: delegations };
  });
  return new Team({ name: "team", mode, model, members: [sayer("ann"), sayer("bob")], streamMembers: true });
}

const told = { ann: "ann ist da é.", bob: "bob ist da é." };

type Said = { readonly members: object; readonly answer: string; readonly speaker?: string };

it.each<[TeamMode, Said]>([
  ["coordinate", { members: told, answer: "Das ist alles." }],
  ["broadcast", { members: told, answer: "Das ist alles." }],
  ["collaborate", { members: told, answer: "Das ist alles." }],
  ["route", { members: {}, answer: "bob ist da é.", speaker: "bob" }],
])(
  "a team of mode %s sends the texts of its members apart from its answer: %j [socket.chunk]",
  async (mode, { members, answer, speaker }) => {
    const { join } = await serveUsers({ teams: { team: teamOf(mode) } });
    const client = await join();
    const { runId } = await client.ask("team.run", { name: "team", input: "Hi" });
    const { name } = await client.endOf(String(runId));

    const said: Record<string, string> = {};
    for (const { payload } of client.received.filter(({ name: event }) => event === "agent.member.chunk")) {
      const { member, chunk } = payload as { member: string; chunk: string };
      said[member] = `${said[member] ?? ""}${chunk}`;
    }
    const answers = client.received.filter(({ name: event }) => event === "agent.chunk");
    expect(new Set(answers.map(({ payload }) => payload["speaker"]))).toEqual(new Set([speaker]));
    expect(name).toBe("agent.done");
    expect(said).toEqual(members);
    expect(client.textOf(runId)).toBe(answer);
  },
);
