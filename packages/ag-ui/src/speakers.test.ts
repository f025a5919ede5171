import { Agent, createLogger, InMemoryStorage, Team } from "@troupe/core";
import type { TeamMode } from "@troupe/core";
import { createService } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { ask, revisions, serveAgUi } from "../test/serve.ts";
import type { Received } from "../test/serve.ts";

const modes = ["coordinate", "route", "broadcast", "collaborate"] as const;

/** Makes a team whose members say who they are, and which answers with what its orchestrator or its chosen member says. */
function teamOf(mode: TeamMode, { streamMembers = true } = {}): Team {
  const sayer = (name: string) => {
    const model = new ScriptedModel().respond(({ messages }) => {
      const isVote = JSON.stringify(messages.at(-1)).includes("Do you agree");
      return isVote ? { structured: { agree: true } } : { text: `${name} ist da é.`, chunkSize: 4 };
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

async function eventsOf(team: Team, revision: (typeof revisions)[number], isDurable: boolean): Promise<Received[]> {
  const logger = createLogger({ level: "silent" });
  const durable = { storage: new InMemoryStorage(), durable: true };
  const url = await serveAgUi(createService({ teams: { team }, logger, ...(isDurable && durable) }));
  return await ask(`${url}/agui/teams/team`, revision);
}

/** The text of each speaker of a stream, by the name of the member to whose run it belongs; "" for the team's own. */
function textsIn(events: readonly Received[]): Record<string, string> {
  const named = events.filter(({ type }) => type === "SUBAGENT_STARTED");
  const names = new Map(named.map(({ subagentRunId, name }) => [subagentRunId, String(name)]));
  const texts: Record<string, string> = {};
  for (const { type, subagentRunId, delta } of events) {
    if (type !== "TEXT_MESSAGE_CONTENT") continue;
    const name = subagentRunId === undefined ? "" : (names.get(subagentRunId) ?? "nobody");
    texts[name] = `${texts[name] ?? ""}${String(delta)}`;
  }
  return texts;
}

describe.each(revisions)("the speakers of a team, as revision %s takes them", (revision) => {
  describe.each([true, false])("with durable runs: %s", (isDurable) => {
    it.each(["coordinate", "broadcast", "collaborate"] as const)(
      "are its members and the team itself, in mode %s [ag-ui.speakers]",
      async (mode) => {
        const events = await eventsOf(teamOf(mode), revision, isDurable);

        expect(textsIn(events)).toEqual({ ann: "ann ist da é.", bob: "bob ist da é.", "": "Das ist alles." });
        const begun = events.filter(({ type }) => type === "TEXT_MESSAGE_START");
        for (const { metadata, subagentRunId } of begun)
          expect(metadata !== undefined, JSON.stringify(begun)).toBe(subagentRunId !== undefined);
      },
    );

    it("is the chosen member in mode route, whose text is the answer [ag-ui.speakers]", async () => {
      const events = await eventsOf(teamOf("route"), revision, isDurable);

      expect(textsIn(events)).toEqual({ "": "bob ist da é." });
      const begun = events.filter(({ type }) => type === "TEXT_MESSAGE_START");
      expect(begun).toEqual([expect.objectContaining({ metadata: { troupe: { speaker: "bob" } } })]);
      expect(events.find(({ type }) => type === "SUBAGENT_STARTED")).toMatchObject({ name: "bob" });
    });

    it.each(modes)(
      "are not the members by default: all text is the answer, in mode %s [ag-ui.speakers]",
      async (mode) => {
        const events = await eventsOf(teamOf(mode, { streamMembers: false }), revision, isDurable);

        expect(textsIn(events)).toEqual({ "": mode === "route" ? "bob ist da é." : "Das ist alles." });
      },
    );
  });
});
