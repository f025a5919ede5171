import { Agent, InMemoryStorage, Team } from "@troupe/core";
import type { TeamMode } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { readAll, serve } from "../test/serve.ts";

const messages = [{ role: "user" as const, content: "Hi" }];

/** Makes a team that streams its members' texts and thoughts. */
function teamOf(mode: TeamMode): Team {
  const sayer = (name: string) => {
    const model = new ScriptedModel().respond(({ messages: said }) => {
      const isVote = JSON.stringify(said.at(-1)).includes("Do you agree");
      return isVote ? { structured: { agree: true } } : { text: `${name} ist da é.`, thinking: "Hm." };
    });
    return new Agent({ name, model });
  };
  const delegations = ["ann", "bob"].map((name) => ({ name: `delegate_to_${name}`, arguments: { task: "Hi." } }));
  const model = new ScriptedModel().respond(({ messages: said }) => {
    if (mode === "route") return { structured: { member: "bob" } };
    const isAsked = mode !== "coordinate" || said.some(({ role }) => role === "tool");
    return isAsked ? "Das ist alles." : { toolCalls: delegations };
  });
  return new Team({ name: "team", mode, model, members: [sayer("ann"), sayer("bob")], streamMembers: true });
}

const answers: readonly [mode: TeamMode, answer: string][] = [
  ["coordinate", "Das ist alles."],
  ["route", "bob ist da é."],
  ["broadcast", "Das ist alles."],
  ["collaborate", "Das ist alles."],
];

describe.each([true, false])("a team that streams its members, with durable runs: %s", (isDurable) => {
  const open = async (mode: TeamMode) => {
    const durable = { storage: new InMemoryStorage(), durable: true };
    return await serve({ teams: { team: teamOf(mode) }, ...(isDurable && durable) });
  };

  it.each(answers)(
    "streams its own answer alone as a completion, in mode %s [openai-api.speakers]",
    async (mode, answer) => {
      const { client } = await open(mode);
      const chunks = await readAll(await client.chat.completions.create({ model: "team", messages, stream: true }));

      expect(chunks.map(({ choices: [choice] }) => choice?.delta.content ?? "").join("")).toBe(answer);
    },
  );

  it.each(answers)("has its own answer alone as a response, in mode %s [openai-api.speakers]", async (mode, answer) => {
    const { client } = await open(mode);
    const { output_text: whole } = await client.responses.create({ model: "team", input: "Hi" });
    const events = await readAll(await client.responses.create({ model: "team", input: "Hi", stream: true }));

    const deltas = events.flatMap((event) => (event.type === "response.output_text.delta" ? [event.delta] : []));
    expect([whole, deltas.join("")]).toEqual([answer, answer]);
  });
});
