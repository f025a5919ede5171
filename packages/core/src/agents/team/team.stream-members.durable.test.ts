import { expect, it } from "vitest";
import { Agent } from "../agent/agent.ts";
import type { Journal } from "../journal/journal.ts";
import { entriesIn } from "../journal/test/journals.ts";
import { cutLogs, performRun, plain } from "../journal/test/takeovers.ts";
import type { StartRun } from "../journal/test/takeovers.ts";
import { attemptOpts } from "../run/test/attempt-opts.ts";
import type { Runnable } from "../run/runnable.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import type { TeamMode } from "./team-config.ts";
import { Team } from "./team.ts";
import { agrees, delegate } from "./test/teams.ts";

/** Hides that an agent keeps a journal, as the runnable of a third party. */
function foreign(agent: Agent): Runnable {
  const { name, kind, eventBus } = agent;
  return {
    name,
    kind,
    eventBus,
    effect: "pure",
    run: async (input, opts) => await agent.run(input, opts),
    stream: (input, opts) => agent.stream(input, opts),
  };
}

function teamOf(mode: TeamMode): Team {
  const sayer = (name: string) => {
    const model = new ScriptedModel().respond(({ messages }) => {
      const asksForVote = JSON.stringify(messages.at(-1)).includes("Do you agree");
      return asksForVote ? agrees : { text: `${name} says this`, chunkSize: 4 };
    });
    return new Agent({ name, model });
  };
  const model = new ScriptedModel().respond(({ messages }) => {
    const isAsked = mode !== "coordinate" || messages.some(({ role }) => role === "tool");
    return isAsked ? { text: "That is all.", chunkSize: 4 } : delegate("ann", "bob");
  });
  const members = [sayer("ann"), foreign(sayer("bob"))];
  return new Team({ name: "team", mode, model, members, streamMembers: true, storage: new InMemoryStorage() });
}

function streaming(team: Team): StartRun {
  return (journal: Journal) => {
    const stream = team.stream("Question?", attemptOpts({ sessionId: "s", steps: journal }));
    return { chunks: stream, output: async () => await stream.output };
  };
}

/** The texts in a log that count, joined for each speaker. */
async function textsIn(storage: StorageDriver): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  const entries = await entriesIn(storage);
  for (const [index, entry] of entries.entries()) {
    if (entry.t !== "chunks") continue;
    if (entries.slice(index).some((later) => later.t === "attempt" && later.void?.includes(entry.step))) continue;
    for (const chunk of entry.chunks as { type: string; text?: string; member?: string; delegationId?: string }[]) {
      if (chunk.type !== "text") continue;
      const speaker = `${chunk.member} ${chunk.delegationId}`;
      texts[speaker] = (texts[speaker] ?? "") + (chunk.text ?? "");
    }
  }
  return texts;
}

it.each(["coordinate", "broadcast", "collaborate"] as const)(
  "A durable team of mode %s shows each member's text once, whatever record it stopped at [team.stream-members]",
  async (mode) => {
    const storage = new InMemoryStorage();
    const whole = await performRun(storage, streaming(teamOf(mode)));
    const texts = await textsIn(storage);
    expect(Object.values(texts).toSorted()).toEqual(["That is all.", "ann says this", "bob says this"]);

    for (const cut of await cutLogs(storage)) {
      const output = await performRun(cut, streaming(teamOf(mode)));
      expect(plain(output)).toEqual(plain(whole));
      expect(await textsIn(cut)).toEqual(texts);
    }
  },
);
