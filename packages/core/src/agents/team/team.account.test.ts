import { describe, expect, it } from "vitest";
import { Agent } from "../agent/agent.ts";
import { EventBus } from "../../base/events/event-bus.ts";
import type { RunEvents } from "../run/run-events.ts";
import type { Runnable } from "../run/runnable.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Team } from "./team.ts";
import {
  allModes,
  billed,
  delegate,
  member,
  memberTurns,
  orchestratorTurns,
  readAll,
  sayer,
  VendorModel,
} from "./test/teams.ts";

function teamOf(mode: (typeof allModes)[number], vendors: readonly [string, string, string]) {
  const model = new VendorModel(vendors[0], ...orchestratorTurns(mode));
  const ann = new VendorModel(vendors[1], ...memberTurns(mode, "from ann"));
  const bob = new VendorModel(vendors[2], ...memberTurns(mode, "from bob"));
  const members = [new Agent({ name: "ann", model: ann }), new Agent({ name: "bob", model: bob })];
  return { team: new Team({ name: "team", mode, model, members }), models: [model, ann, bob] as const };
}

describe.each(allModes)("the usage of a team of mode %s", (mode) => {
  it("is the sum of all calls of its orchestrator and its members", async () => {
    for (const start of ["run", "stream"] as const) {
      const { team, models } = teamOf(mode, ["openai", "openai", "openai"]);
      const output = start === "run" ? await team.run("?") : await team.stream("?").output;
      const calls = models.flatMap((model) => model.calls);

      expect(output.usage).toEqual(billed(...models));
      expect(output.usage.totalTokens).toBe(calls.length * 15);
      expect(output.metrics).toMatchObject({ totalTokens: output.usage.totalTokens });
    }
  });

  it("counts towards one limit for all of them together", async () => {
    const { team, models } = teamOf(mode, ["openai", "openai", "openai"]);
    const failure = team.run("?", { limits: { totalTokens: 20 } });

    await expect(failure).rejects.toMatchObject({ code: "limit_exceeded" });
    await expect(failure).rejects.toMatchObject({ output: { usage: billed(...models) } });
  });

  it("comes with ids, status, model, session and times in the output", async () => {
    const { team } = teamOf(mode, ["openai", "openai", "openai"]);
    const output = await team.run("?", { sessionId: "s1", userId: "u1" });

    expect(output).toMatchObject({
      runId: expect.any(String),
      status: "completed",
      agentName: "team",
      sessionId: "s1",
      userId: "u1",
      model: "scripted-1",
      modelProvider: "openai",
      durationMs: expect.any(Number),
      timeToFirstTokenMs: expect.any(Number),
    });
    for (const { toolName, durationMs } of output.toolCalls) {
      expect([toolName, durationMs]).toEqual([expect.stringMatching(/^delegate_to_(ann|bob)$/), expect.any(Number)]);
    }
  });
});

describe.each(allModes)("the keys of a team of mode %s", (mode) => {
  it("are sent to their own vendors alone", async () => {
    const { team, models } = teamOf(mode, ["openai", "anthropic", "google"]);
    const apiKeys = { openai: "canary-o", anthropic: "canary-a", google: "canary-g" };
    await readAll(team.stream("?", { apiKeys }));
    const [model, ann, bob] = models;

    expect([model.keys, ann.keys]).toEqual([["canary-o"], ["canary-a"]]);
    expect(bob.keys).toEqual(mode === "route" ? [] : ["canary-g"]);
  });

  it("include a generic key, bound to the orchestrator's vendor", async () => {
    const { team, models } = teamOf(mode, ["openai", "anthropic", "openai"]);
    await team.run("?", { apiKey: "generic" });
    const [model, ann, bob] = models;

    expect([model.keys, ann.keys]).toEqual([["generic"], [undefined]]);
    expect(bob.keys).toEqual(mode === "route" ? [] : ["generic"]);
  });

  it("appear in no event, no output and no error", async () => {
    const { team } = teamOf(mode, ["openai", "anthropic", "google"]);
    const heard: unknown[] = [];
    for (const name of ["run.start", "run.complete", "tool.call", "tool.result"] as const) {
      team.eventBus.on(name, (data) => void heard.push(data));
    }
    const apiKeys = { openai: "canary-o", anthropic: "canary-a", google: "canary-g" };
    const output = await team.run("?", { apiKeys });

    expect(JSON.stringify([heard, output])).not.toContain("canary");
  });
});

describe("a member of a team", () => {
  it("inherits user, tenant and metadata, also through teams within teams", async () => {
    const seen: unknown[] = [];
    const ann = sayer("ann", "fine", {
      instructions: ({ userId, metadata, parentRunId }) => {
        seen.push({ userId, metadata, hasParent: parentRunId !== undefined });
        return "Be brief.";
      },
    });
    const inner = new Team({ name: "inner", mode: "route", model: new ScriptedModel(), members: [ann.agent] });
    const model = new ScriptedModel(delegate("inner"), "done");
    const team = new Team({ name: "team", mode: "coordinate", model, members: [inner] });
    const { usage } = await team.run("?", { userId: "u1", metadata: { plan: "free" } });

    expect(seen).toEqual([{ userId: "u1", metadata: { plan: "free" }, hasParent: true }]);
    expect(usage).toEqual(billed(model, ann.model));
  });

  it("bills the usage that its output reports when it is a third party's that knows no meter, also when it fails", async () => {
    const usage = { promptTokens: 70, completionTokens: 7, totalTokens: 77 };
    const foreign = (name: string, run: () => Promise<unknown>) =>
      ({ name, kind: "remote", eventBus: new EventBus<RunEvents>(), run, stream: run }) as unknown as Runnable;
    const members = [
      foreign("answers", async () => ({ text: "far away", toolCalls: [], usage })),
      foreign("fails", async () => await Promise.reject(Object.assign(new Error("no"), { output: { usage } }))),
      foreign("is odd", async () => await Promise.reject(Object.assign(new Error("no"), { output: null }))),
      foreign("says nothing", async () => ({})),
      member("ann", ["x"]).agent,
    ];
    const team = new Team({ name: "team", mode: "broadcast", model: new ScriptedModel("done"), members });
    const output = await team.run("?");

    expect(output.usage.totalTokens).toBe(77 + 77 + 15 + 15);
    expect(output.toolCalls.map(({ error }) => error === undefined)).toEqual([true, false, false, false, true]);
  });
});
