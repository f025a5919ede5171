import { describe, expect, it } from "vitest";
import { Agent } from "../agent/agent.ts";
import { EventBus } from "../../base/events/event-bus.ts";
import { runEventNames } from "../run/run-events.ts";
import type { RunEvents } from "../run/run-events.ts";
import type { Runnable } from "../run/runnable.ts";
import { until } from "../../testing/conformance/assert.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Team } from "./team.ts";
import { allModes, delegate, member, memberTurns, orchestratorTurns, readAll, sayer } from "./test/teams.ts";

type Heard = { name: keyof RunEvents; data: RunEvents[keyof RunEvents] };

function listenTo({ eventBus }: Pick<Runnable, "eventBus">): Heard[] {
  const heard: Heard[] = [];
  for (const name of runEventNames) eventBus.on(name, (data) => void heard.push({ name, data }));
  return heard;
}

function listeners({ eventBus }: Runnable): boolean {
  return runEventNames.some((name) => eventBus.has(name));
}

describe.each(allModes)("the event bus of a team of mode %s", (mode) => {
  it("carries the events of its members with the run's id as parent, each run with one start and one end", async () => {
    const members = ["ann", "bob"].map((name) => member(name, memberTurns(mode, "fine")).agent);
    const team = new Team({ name: "team", mode, model: new ScriptedModel(...orchestratorTurns(mode)), members });
    const heard = listenTo(team);
    const { runId, toolCalls } = await team.run("?");
    const within = heard.filter(({ data }) => data.runId !== runId);

    expect(within.every(({ data }) => data.parentRunId === runId)).toBe(true);
    expect(within.filter(({ name }) => name === "run.start")).toHaveLength(toolCalls.length);
    expect(within.filter(({ name }) => name === "run.complete")).toHaveLength(toolCalls.length);
    const own = heard.filter(({ data }) => data.runId === runId).map(({ name }) => name);
    expect(own.filter((name) => name.startsWith("run."))).toEqual(["run.start", "run.complete"]);
    expect(own.filter((name) => name === "tool.call")).toHaveLength(toolCalls.length);
    expect(own.filter((name) => name === "tool.result")).toHaveLength(toolCalls.length);
  });

  it("has no subscriptions to the members' buses after a run completed or failed", async () => {
    for (const turns of [orchestratorTurns(mode), [{ error: new Error("broken") }]]) {
      const members = ["ann", "bob"].map((name) => member(name, memberTurns(mode, "fine")).agent);
      const team = new Team({ name: "team", mode, model: new ScriptedModel(...turns), members });
      await team.run("?").catch(() => undefined);

      expect(members.map(listeners)).toEqual([false, false]);
    }
  });
});

describe("the event bus of a team", () => {
  it("carries a member's events of this team's runs alone", async () => {
    const ann = sayer("ann", "fine").agent;
    const teams = ["one", "other"].map(
      (name) => new Team({ name, mode: "broadcast", model: new ScriptedModel("done"), members: [ann] }),
    );
    const heard = teams.map(listenTo);
    const runs = await Promise.all([...teams.map((team) => team.run("?")), ann.run("For nobody's team.")]);

    for (const [index, events] of heard.entries()) {
      const starts = events.filter(({ name }) => name === "run.start").map(({ data }) => data);
      expect(starts).toHaveLength(2);
      expect(starts.map(({ runId, parentRunId }) => parentRunId ?? runId)).toEqual([
        runs[index]?.runId,
        runs[index]?.runId,
      ]);
    }
    expect(listeners(ann)).toBe(false);
  });

  it("carries the events of members of members, each with its own parent", async () => {
    const ann = sayer("ann", "fine").agent;
    const inner = new Team({ name: "inner", mode: "route", model: new ScriptedModel(), members: [ann] });
    const team = new Team({ name: "team", mode: "route", model: new ScriptedModel(), members: [inner] });
    const heard = listenTo(team);
    await readAll(team.stream("?"));

    const starts = heard.flatMap(({ name, data }) => (name === "run.start" ? [data as RunEvents["run.start"]] : []));
    expect(starts.map(({ agentName }) => agentName)).toEqual(["team", "inner", "ann"]);
    expect(starts[2]?.parentRunId).toBe(starts[1]?.runId);
    expect(starts[1]?.parentRunId).toBe(starts[0]?.runId);
    expect(heard.filter(({ name }) => name === "run.complete")).toHaveLength(3);
    expect([ann, inner].map(listeners)).toEqual([false, false]);
  });

  it("emits each event once when members share it", async () => {
    const eventBus = new EventBus<RunEvents>();
    const members = ["ann", "bob"].map((name) => sayer(name, "fine", { eventBus }).agent);
    const model = new ScriptedModel("done");
    const team = new Team({ name: "team", mode: "broadcast", model, members, eventBus });
    const heard = listenTo(team);
    await team.run("?");

    expect(heard.filter(({ name }) => name === "run.start")).toHaveLength(3);
  });

  it("emits each event once when buses lead to each other", async () => {
    const eventBus = new EventBus<RunEvents>();
    const ann = sayer("ann", "fine", { eventBus }).agent;
    const inner = new Team({ name: "inner", mode: "route", model: new ScriptedModel(), members: [ann] });
    const team = new Team({ name: "team", mode: "route", model: new ScriptedModel(), members: [inner], eventBus });
    const heard = listenTo(team);
    await team.run("?");

    // Where the member tells it, and where the team does.
    const ofAnn = heard.filter(
      ({ name, data }) => name === "run.start" && "agentName" in data && data.agentName === "ann",
    );
    expect(ofAnn).toHaveLength(2);
  });

  it("subscribes once for any number of simultaneous runs, and unsubscribes after the last", async () => {
    const ann = sayer("ann", { text: "fine", delayMs: 2 }).agent;
    const model = new ScriptedModel().respond(() => "done");
    const team = new Team({ name: "team", mode: "broadcast", model, members: [ann] });
    const heard = listenTo(team);
    await Promise.all(["1", "2", "3"].map((input) => team.run(input)));

    expect(heard.filter(({ name }) => name === "run.complete")).toHaveLength(6);
    expect(listeners(ann)).toBe(false);
  });

  it("carries the end of members that take longer to end than the team", async () => {
    const model = new ScriptedModel({ hang: true });
    const mayEnd = Promise.withResolvers<void>();
    const ann = new Agent({ name: "ann", model, hooks: { onError: async () => await mayEnd.promise } });
    const orchestrator = new ScriptedModel(delegate("ann"));
    const team = new Team({ name: "team", mode: "coordinate", model: orchestrator, members: [ann] });
    const heard = listenTo(team);
    const begun = new Promise<void>((resolve) => void ann.eventBus.on("run.start", () => resolve()));
    const abort = new AbortController();
    const run = team.run("?", { signal: abort.signal });
    run.catch(() => undefined);
    await begun;
    abort.abort();
    await expect(run).rejects.toMatchObject({ code: "cancelled" });
    const early = heard.filter(({ name }) => name === "run.error").length;
    mayEnd.resolve();
    await until(() => !ann.eventBus.has("run.error"));

    expect(early).toBe(1);
    expect(heard.filter(({ name }) => name === "run.error")).toHaveLength(2);
  });
});
