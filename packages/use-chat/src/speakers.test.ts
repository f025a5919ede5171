import { Agent, InMemoryStorage, Team } from "@troupe/core";
import type { TeamMode } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { checkChunks, openChat } from "../test/chat.ts";
import { serve } from "../test/serve.ts";

const modes = ["coordinate", "route", "broadcast", "collaborate"] as const;

/** Makes a team whose members say who they are, and which answers with what its orchestrator or its chosen member says. */
function teamOf(mode: TeamMode, { streamMembers = true } = {}): Team {
  const sayer = (name: string) => {
    const model = new ScriptedModel().respond(({ messages }) => {
      const isVote = JSON.stringify(messages.at(-1)).includes("Do you agree");
      return isVote ? { structured: { agree: true } } : { text: `${name} ist da é.`, thinking: "Hm.", chunkSize: 4 };
    });
    return new Agent({ name, model });
  };
  const delegations = ["ann", "bob"].map((name) => ({ name: `delegate_to_${name}`, arguments: { task: "Hi." } }));
  const model = new ScriptedModel().respond(({ messages }) => {
    if (mode === "route") return { structured: { member: "bob" } };
    const isAsked = mode !== "coordinate" || messages.some(({ role }) => role === "tool");
    return isAsked ? { text: "Das ist alles.", chunkSize: 4 } : { toolCalls: delegations };
  });
  return new Team({ name: "team", mode, model, members: [sayer("ann"), sayer("bob")], streamMembers });
}

type Part = { readonly type: string; readonly text?: string; readonly providerMetadata?: { readonly troupe?: object } };

/** The texts and thoughts of a team's answer as the page has them, with who speaks. */
async function partsOf(
  team: Team,
  isDurable: boolean,
): Promise<[type: string, text: string, by: object | undefined][]> {
  const durable = { storage: new InMemoryStorage(), durable: true };
  const service = await serve({ teams: { team }, ...(isDurable && durable) });
  const open = openChat(service, "/teams/team/ui", { id: "c1" });
  await open.chat.sendMessage({ text: "Who?" });
  await checkChunks(open.chunks);
  const parts = (open.chat.messages.at(-1)?.parts ?? []) as Part[];
  return parts.flatMap(({ type, text, providerMetadata }) =>
    type === "text" || type === "reasoning" ? [[type, text ?? "", providerMetadata?.troupe]] : [],
  );
}

describe.each([true, false])("the speakers of a team, on a page, with durable runs: %s", (isDurable) => {
  it.each(["coordinate", "broadcast", "collaborate"] as const)(
    "are its members by name, and the team itself, in mode %s [http.ui-speakers]",
    async (mode) => {
      const parts = await partsOf(teamOf(mode), isDurable);

      for (const name of ["ann", "bob"]) {
        const by = { member: name, delegationId: expect.any(String) as string };
        expect(parts).toContainEqual(["reasoning", "Hm.", by]);
        expect(parts).toContainEqual(["text", `${name} ist da é.`, by]);
      }
      expect(parts.filter(([, , by]) => by === undefined)).toEqual([["text", "Das ist alles.", undefined]]);
      expect(parts).toHaveLength(5);
    },
  );

  it("is the chosen member by name in mode route [http.ui-speakers]", async () => {
    const parts = await partsOf(teamOf("route"), isDurable);

    const texts = parts.filter(([type]) => type === "text");
    expect(texts).toEqual([["text", "bob ist da é.", expect.objectContaining({ speaker: "bob" })]]);
  });

  it.each(modes)("are not the members by default, in mode %s [http.ui-speakers]", async (mode) => {
    const parts = await partsOf(teamOf(mode, { streamMembers: false }), isDurable);

    const answer = mode === "route" ? "bob ist da é." : "Das ist alles.";
    expect(parts.filter(([type]) => type === "text").map(([, text]) => text)).toEqual([answer]);
    expect(JSON.stringify(parts)).not.toContain('"member"');
  });
});
