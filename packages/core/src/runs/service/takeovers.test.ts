import { describe, expect, it } from "vitest";
import { Agent } from "../../agents/agent/agent.ts";
import type { Journal } from "../../agents/journal/journal.ts";
import { entriesIn } from "../../agents/journal/test/journals.ts";
import { chunksIn, cutLogs, performRun, plain, stepsIn } from "../../agents/journal/test/takeovers.ts";
import type { StartRun } from "../../agents/journal/test/takeovers.ts";
import { Memory } from "../../agents/memory/memory.ts";
import type { RunOutput } from "../../agents/run/run-output.ts";
import type { Runnable } from "../../agents/run/runnable.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Team } from "../../agents/team/team.ts";
import { delegate } from "../../agents/team/test/teams.ts";
import { runnableAsTool } from "../../agents/tool/runnable-as-tool.ts";
import { Workflow } from "../../agents/workflow/workflow.ts";
import { attemptOpts } from "../../agents/run/test/attempt-opts.ts";

/** An agent whose answer tells how many inputs it has seen. */
function counting(name: string, more: { storage?: InMemoryStorage; memory?: Memory } = {}): Agent {
  const model = new ScriptedModel().respond(({ messages }) => {
    return `${name} heard ${messages.filter(({ role }) => role === "user").length}`;
  });
  return new Agent({ name, model, ...more });
}

function streaming(runnable: Runnable): StartRun {
  return (journal: Journal) => {
    const stream = runnable.stream("Question?", attemptOpts({ sessionId: "s", steps: journal }));
    return { chunks: stream, output: async () => await stream.output };
  };
}

/** Checks that a takeover at any record changes nothing, and returns the output. */
async function checkTakeovers(create: () => Runnable): Promise<RunOutput> {
  const storage = new InMemoryStorage();
  const whole = (await performRun(storage, streaming(create()))) as RunOutput;
  for (const cut of await cutLogs(storage)) {
    expect(plain(await performRun(cut, streaming(create())))).toEqual(plain(whole));
    expect(await chunksIn(cut)).toEqual(await chunksIn(storage));
  }
  return whole;
}

describe("A takeover at any record of a durable run", () => {
  it("leaves the sessions of a workflow that is a member of a team as they were [team.durable]", async () => {
    const create = () => {
      const flow = new Workflow({
        name: "flow",
        initialState: {},
        steps: [
          { name: "turn", agent: counting("clerk") },
          { name: "s", effect: "pure", run: () => ({ turn: "turn" }) },
        ],
      });
      const model = new ScriptedModel().respond(({ messages }) => {
        return messages.filter(({ toolCalls }) => toolCalls !== undefined).length < 2 ? delegate("flow") : "Done.";
      });
      return new Team({ name: "team", mode: "coordinate", model, members: [flow.asRunnable()] });
    };

    const { toolCalls } = await checkTakeovers(create);

    expect(toolCalls.map(({ result }) => result)).toEqual(["clerk heard 1", "clerk heard 2"]);
  });

  it("gives the answer of a workflow that asks a team once, as a stream and as a tool [workflow.durable]", async () => {
    const create = () => {
      const model = new ScriptedModel().respond(({ messages }) =>
        messages.some(({ role }) => role === "tool") ? { text: "The team says so.", chunkSize: 3 } : delegate("ann"),
      );
      const team = new Team({ name: "team", mode: "coordinate", model, members: [counting("ann")] });
      const workflow = new Workflow({ name: "flow", initialState: {}, steps: [{ name: "ask", agent: team }] });
      const outer = new ScriptedModel().respond(({ messages }) =>
        messages.some(({ role }) => role === "tool")
          ? "So it is."
          : { toolCalls: [{ name: "ask_flow", arguments: { input: "Is it so?" } }] },
      );
      const agent = new Agent({ name: "chief", model: outer, tools: [runnableAsTool(workflow.asRunnable())] });
      return { agent, workflow: workflow.asRunnable() };
    };

    expect((await checkTakeovers(() => create().workflow)).text).toBe("The team says so.");
    expect((await checkTakeovers(() => create().agent)).toolCalls).toMatchObject([{ result: "The team says so." }]);
  });

  it("takes a turn into the memory of a workflow's agent once, also when it was stored before the step had ended", async () => {
    const storage = new InMemoryStorage();
    const create = (kept: InMemoryStorage) => {
      const agent = counting("clerk", { storage: kept, memory: new Memory() });
      return new Workflow({ name: "flow", initialState: {}, steps: [{ name: "ask", agent }] }).asRunnable();
    };
    const kept = new InMemoryStorage();
    await performRun(storage, streaming(create(kept)));
    const cuts = await Promise.all(
      (await cutLogs(storage)).map(async (cut) => ({ cut, entries: await entriesIn(cut) })),
    );
    const { cut } = cuts.findLast(({ entries }) => !stepsIn(entries, "done").includes("w/ask")) ?? { cut: storage };

    await performRun(cut, streaming(create(kept)));

    const model = new ScriptedModel("again");
    const agent = new Agent({ name: "clerk", model, storage: kept, memory: new Memory() });
    const flow = new Workflow({ name: "flow", initialState: {}, steps: [{ name: "ask", agent }] });
    await flow.asRunnable().run("Once more?", { sessionId: "s" });
    const asked = model.calls[0]?.messages.filter(({ role }) => role === "user").map(({ content }) => content);

    expect(asked).toEqual(["Question?", "Once more?"]);
  });
});
