import { describe, expect, it } from "vitest";
import { Agent } from "../agent/agent.ts";
import { EventBus } from "../../base/events/event-bus.ts";
import type { Journal } from "../journal/journal.ts";
import type { RunWait } from "../run/run-wait.ts";
import { entriesIn, openJournal } from "../journal/test/journals.ts";
import { cutLogs, performRun, plain, stepsIn } from "../journal/test/takeovers.ts";
import type { StartRun } from "../journal/test/takeovers.ts";
import type { RunEvents } from "../run/run-events.ts";
import type { RunOutput } from "../run/run-output.ts";
import type { Runnable } from "../run/runnable.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import type { ScriptedAnswer } from "../../testing/scripted-answer.ts";
import { Team } from "./team.ts";
import { delegate } from "./test/teams.ts";
import { attemptOpts } from "../run/test/attempt-opts.ts";

/** A team of mode coordinate that delegates in this order, and the models of its agents. */
function coordinating(delegations: readonly string[][], members: readonly Runnable[]): Team {
  const model = new ScriptedModel().respond(({ messages }) => {
    const made = messages.filter(({ toolCalls }) => toolCalls !== undefined).length;
    const next = delegations[made];
    return next === undefined ? "That is all." : delegate(...next);
  });
  return new Team({ name: "team", mode: "coordinate", model, members });
}

/** A member whose model answers with a function of its messages, counted by model calls. */
function member(name: string, answer: (heard: number) => ScriptedAnswer) {
  const model = new ScriptedModel().respond(({ messages }) =>
    answer(messages.filter(({ role }) => role === "user").length),
  );
  return { model, agent: new Agent({ name, model, retry: { maxRetries: 0 } }) };
}

function running(team: Team): StartRun {
  return (journal: Journal) => {
    const output = team.run("Question?", attemptOpts({ sessionId: "s", steps: journal }));
    output.catch(() => undefined);
    return { chunks: (async function* () {})(), output: async () => await output };
  };
}

/** Streams the team, which gives a log of more records. */
function streaming(team: Team): StartRun {
  return (journal: Journal) => {
    const stream = team.stream("Question?", attemptOpts({ sessionId: "s", steps: journal }));
    return { chunks: stream, output: async () => await stream.output };
  };
}

/** The error that a run ends with. */
async function errorOf(run: Promise<unknown>): Promise<{ code: string; message: string }> {
  const error = await run.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const { code, message } = error as { code: string; message: string };
  return { code, message };
}

/** Logs that end before each record, and the steps that are done in each. */
async function cutsOf(storage: InMemoryStorage) {
  return await Promise.all(
    (await cutLogs(storage)).map(async (cut) => ({ cut, done: stepsIn(await entriesIn(cut), "done") })),
  );
}

describe("A member of a durable team", () => {
  it("remembers what it was asked before in the run, after another process has taken over [team.durable]", async () => {
    const create = () => {
      const ann = member("ann", (heard) => `I was asked ${heard} times.`);
      const inner = member("eve", (heard) => `Eve was asked ${heard} times.`);
      const nested = new Team({
        name: "nest",
        mode: "route",
        model: new ScriptedModel(),
        members: [inner.agent],
        memberSessions: "persist",
      });
      return coordinating([["ann", "nest"], ["ann"], ["ann", "nest"]], [ann.agent, nested]);
    };
    const storage = new InMemoryStorage();
    const whole = (await performRun(storage, streaming(create()))) as RunOutput;
    const texts = whole.toolCalls.map(({ result }) => result);
    expect(texts).toEqual([
      "I was asked 1 times.",
      "Eve was asked 1 times.",
      "I was asked 2 times.",
      "I was asked 3 times.",
      "Eve was asked 2 times.",
    ]);

    for (const cut of await cutLogs(storage)) {
      expect(plain(await performRun(cut, streaming(create())))).toEqual(plain(whole));
    }
  });

  it("a member of a durable team that failed is not asked again, and neither is the orchestrator when all have failed", async () => {
    const broken = () => {
      throw new Error("broken");
    };
    const [ann, bob] = [member("ann", broken), member("bob", broken)];
    const storage = new InMemoryStorage();
    const whole = await errorOf(performRun(storage, streaming(coordinating([["ann", "bob"]], [ann.agent, bob.agent]))));
    expect(whole.message).toMatch(/^All members of the team failed/);
    const failed = (await cutsOf(storage)).filter(({ done }) => done.includes("t/0/0") && done.includes("t/0/1"));
    expect(failed.length).toBeGreaterThan(0);

    for (const { cut } of failed) {
      const [anna, robert] = [member("ann", () => "Here."), member("bob", () => "Here.")];
      const team = coordinating([["ann", "bob"]], [anna.agent, robert.agent]);

      expect(await errorOf(performRun(cut, streaming(team)))).toEqual(whole);
      expect([...anna.model.calls, ...robert.model.calls]).toEqual([]);
    }
  });

  it("is announced by run.start in the attempt that begins it, also to the bus of its team", async () => {
    const storage = new InMemoryStorage();
    const create = () => {
      const members = ["ann", "bob"].map((name) => member(name, () => `I am ${name}.`).agent);
      return coordinating([["ann"], ["bob"]], members);
    };
    await performRun(storage, streaming(create()));
    const cut =
      (await cutsOf(storage)).findLast(({ done }) => !done.some((step) => step.startsWith("t/1/0")))?.cut ?? storage;
    const team = create();
    const heard: string[] = [];
    team.eventBus.on("run.start", ({ agentName }) => void heard.push(`start ${agentName}`));
    team.eventBus.on("run.complete", ({ output }) => void heard.push(`end ${output.agentName}`));

    await performRun(cut, streaming(team));

    expect(heard).toEqual(["start bob", "end bob", "end team"]);
  });
});

/** A runnable of a third party that counts its runs, and hangs if it is told to. */
function outsider(hang?: () => void) {
  let runs = 0;
  const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };
  const runnable = {
    name: "outsider",
    kind: "remote",
    eventBus: new EventBus<RunEvents>(),
    run: async () => {
      runs += 1;
      if (hang !== undefined) await new Promise<never>(() => hang());
      return { text: "From afar.", toolCalls: [], usage };
    },
    stream: () => {
      throw new Error("not streamed here");
    },
  } as unknown as Runnable;
  return { runnable, runs: () => runs };
}

describe.each([
  ["a delegation", (members: Runnable[]) => coordinating([["outsider"]], members), "t.0.0.run.doubt"],
  [
    "a routed run",
    (members: Runnable[]) => new Team({ name: "team", mode: "route", model: new ScriptedModel(), members }),
    "route.run.doubt",
  ],
] as const)("A third party's member in %s of a durable team", (_, create, waitId) => {
  async function cutOff(): Promise<InMemoryStorage> {
    const storage = new InMemoryStorage();
    const { promise, resolve } = Promise.withResolvers<void>();
    const journal = await openJournal(storage);
    create([outsider(resolve).runnable])
      .run("Question?", attemptOpts({ sessionId: "s", steps: journal }))
      .catch(() => undefined);
    await promise;
    journal.durable.stop("released");
    await journal.flush();
    return storage;
  }

  it("is asked about when it was cut off, and not run again before [team.outside-member]", async () => {
    const { runnable, runs } = outsider();
    const asked: RunWait[] = [];
    const answer = (wait: RunWait): Json => (asked.push(wait), { choice: "happened", result: "It said so." });

    const output = (await performRun(await cutOff(), running(create([runnable])), answer)) as RunOutput;

    expect(runs()).toBe(0);
    expect(asked).toMatchObject([{ id: waitId, kind: "doubt", about: { toolName: "outsider" } }]);
    expect(output.toolCalls[0]).toMatchObject({ result: "It said so." });
  });

  it("is run once, and its usage counts, when its output is stored", async () => {
    const storage = new InMemoryStorage();
    const whole = (await performRun(storage, running(create([outsider().runnable])))) as RunOutput;
    const ended = (await cutsOf(storage)).filter(({ done }) => done.some((step) => step.endsWith("/run")));

    for (const { cut } of ended) {
      const { runnable, runs } = outsider();
      expect(plain(await performRun(cut, running(create([runnable]))))).toEqual(plain(whole));
      expect(runs()).toBe(0);
    }
  });
});
