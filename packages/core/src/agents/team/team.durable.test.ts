import { describe, expect, it } from "vitest";
import { Agent } from "../agent/agent.ts";
import type { Journal } from "../journal/journal.ts";
import type { RunWait } from "../run/run-wait.ts";
import { entriesIn } from "../journal/test/journals.ts";
import { chunksIn, cutLogs, performRun, plain, stepsIn } from "../journal/test/takeovers.ts";
import type { StartRun } from "../journal/test/takeovers.ts";
import { getTextContent } from "../../base/message/content.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import type { RunOutput } from "../run/run-output.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { ScriptedAnswer } from "../../testing/scripted-answer.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { TeamConfig, TeamMode } from "./team-config.ts";
import { Team } from "./team.ts";
import { agrees, allModes, billed, delegate, pick } from "./test/teams.ts";
import { attemptOpts } from "../run/test/attempt-opts.ts";

/** A model that answers by what it is sent, so that it can be asked from any point on. */
function answering(answer: (last: string, messages: readonly ChatMessage[]) => ScriptedAnswer): ScriptedModel {
  return new ScriptedModel().respond(({ messages }) => {
    return answer(getTextContent(messages.at(-1)?.content ?? null), messages);
  });
}

/** A member that looks its answer up with a tool of effect once, and the names of the look-ups. */
function lookingUp(name: string, lookUps: string[]): { agent: Agent; model: ScriptedModel } {
  const model = answering((last) => {
    if (last.includes("Do you agree")) return agrees;
    return last.startsWith("found by")
      ? { text: `${name} says: ${last}`, chunkSize: 4 }
      : { toolCalls: [{ name: "look_up", arguments: {} }] };
  });
  const tool = defineTool({
    name: "look_up",
    description: "Looks it up.",
    parameters: { type: "object" },
    execute: () => (lookUps.push(name), `found by ${name}`),
  });
  return { model, agent: new Agent({ name, model, tools: [tool] }) };
}

/** A team of the mode, all that its members looked up, and all models. */
function scene(mode: TeamMode, config: Partial<TeamConfig> = {}) {
  const lookUps: string[] = [];
  const [ann, bob] = [lookingUp("ann", lookUps), lookingUp("bob", lookUps)];
  const model = answering((_, messages) => {
    if (mode === "route") return pick("ann");
    const isAsked = messages.some(({ role }) => role === "tool");
    return mode === "coordinate" && !isAsked ? delegate("ann", "bob") : { text: "That is all.", chunkSize: 3 };
  });
  const members = [ann.agent, bob.agent];
  const team = new Team({
    name: "team",
    mode,
    model,
    members,

    storage: new InMemoryStorage(),
    ...config,
  });
  return { team, lookUps, models: [model, ann.model, bob.model] };
}

function streaming(team: Team): StartRun {
  return (journal: Journal) => {
    const stream = team.stream("Question?", attemptOpts({ sessionId: "s", steps: journal }));
    return { chunks: stream, output: async () => await stream.output };
  };
}

function running(team: Team): StartRun {
  return (journal: Journal) => {
    const output = team.run("Question?", attemptOpts({ sessionId: "s", steps: journal }));
    output.catch(() => undefined);
    return { chunks: (async function* () {})(), output: async () => await output };
  };
}

/** The keys of calls without a result. */
async function doubtsIn(storage: InMemoryStorage): Promise<string[]> {
  const entries = await entriesIn(storage);
  const done = stepsIn(entries, "done");
  return stepsIn(entries, "call").filter((step) => !done.includes(step));
}

describe.each(allModes)("A durable run of a team of mode %s", (mode) => {
  it.each([
    ["streamed", streaming],
    ["not streamed", running],
  ] as const)(
    "goes on after a stop at any record, and so do members that were half done: %s [team.durable]",
    async (_, start) => {
      const storage = new InMemoryStorage();
      const first = scene(mode);
      const whole = (await performRun(storage, start(first.team))) as RunOutput;
      const cuts = await cutLogs(storage);
      expect(cuts.length).toBeGreaterThan(1);
      expect(whole.usage).toEqual(billed(...first.models));

      for (const cut of cuts) {
        const before = stepsIn(await entriesIn(cut), "done");
        const doubts = await doubtsIn(cut);
        const again = scene(mode);
        const asked: string[] = [];
        const answer = ({ id }: RunWait) => (asked.push(id), { choice: "again" });
        const output = (await performRun(cut, start(again.team), answer)) as RunOutput;

        expect(plain(output)).toEqual(plain(whole));
        expect(await chunksIn(cut)).toEqual(await chunksIn(storage));
        expect(asked.toSorted()).toEqual(doubts.map((step) => `${step.replaceAll("/", ".")}.doubt`).toSorted());
        expect(again.lookUps).toHaveLength(first.lookUps.length - before.filter(isLookUp).length);
        const calls = again.models.flatMap((model) => model.calls);
        const isModelCall = (step: string) => /(^|\/)m\/\d+$/.test(step);
        expect(calls).toHaveLength(
          first.models.flatMap((model) => model.calls).length - before.filter(isModelCall).length,
        );
        expect((await again.team.sessions.readTurns("s")).turns).toHaveLength(1);
      }
    },
  );
});

/** Returns true if a step is the call of a member's tool. */
function isLookUp(step: string): boolean {
  return /\/c0\/t\/\d+\/\d+$/.test(step);
}
