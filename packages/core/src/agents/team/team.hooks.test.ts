import { describe, expect, it } from "vitest";
import type { AgentHooks } from "../agent/agent-config.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Team } from "./team.ts";
import { allModes, lastSaid, memberTurns, member, orchestratorTurns } from "./test/teams.ts";
import type { TeamConfig, TeamMode } from "./team-config.ts";

function teamOf(mode: TeamMode, hooks: AgentHooks, config: Partial<TeamConfig> = {}) {
  const members = ["ann", "bob"].map((name) => member(name, memberTurns(mode, name)));
  const model = new ScriptedModel(...orchestratorTurns(mode));
  const agents = members.map(({ agent }) => agent);
  const team = new Team({ name: "team", mode, model, members: agents, hooks, ...config });
  return { team, model, members };
}

describe.each(allModes)("the hooks of a team of mode %s", (mode) => {
  it("are called before and after its run, with its own context [team.hooks]", async () => {
    const calls: unknown[] = [];
    const { team } = teamOf(mode, {
      beforeRun: ({ agentName }, input) => void calls.push(["before", agentName, input]),
      afterRun: ({ runId }, output) => void calls.push(["after", runId === output.runId, output.text]),
    });
    const { text } = await team.run("Hi?");

    expect(calls).toEqual([
      ["before", "team", "Hi?"],
      ["after", true, text],
    ]);
  });

  it("may replace the input, which is stored as the members got it [team.hooks]", async () => {
    const storage = new InMemoryStorage();
    const { team, members } = teamOf(mode, { beforeRun: () => "Other?" }, { storage });
    await team.run("Hi?", { sessionId: "s" });

    const [turn] = (await team.sessions.readTurns("s")).turns;
    expect(turn?.input).toBe("Other?");
    // In mode coordinate a member gets a task that the orchestrator has written.
    const received = members.flatMap(({ model }) => lastSaid(model))[0];
    expect(received).toContain(mode === "coordinate" ? "task for ann" : "Other?");
  });

  it("end the run with the error of beforeRun, before any model call, and onError hears of it [team.hooks]", async () => {
    const codes: string[] = [];
    const { team, model } = teamOf(mode, {
      beforeRun: () => {
        throw new TroupeError("forbidden", "Not you.");
      },
      onError: (_, error) => void codes.push(error.code),
    });

    await expect(team.run("Hi?")).rejects.toMatchObject({ code: "forbidden" });
    expect([codes, model.calls]).toEqual([["forbidden"], []]);
  });
});

describe("the hooks of a team", () => {
  it.each(["coordinate", "broadcast", "collaborate"] as const)(
    "may deny a delegation, in mode %s [team.hooks]",
    async (mode) => {
      const denied: string[] = [];
      const { team, members } = teamOf(mode, {
        onToolCall: (_, { name }) =>
          name === "delegate_to_bob" ? (denied.push(name), { deny: "not bob" }) : undefined,
      });
      const { toolCalls } = await team.run("Hi?");

      expect(denied[0]).toBe("delegate_to_bob");
      expect(members[1]?.model.calls).toEqual([]);
      expect(toolCalls.find(({ toolName }) => toolName === "delegate_to_bob")?.error).toContain("not bob");
    },
  );

  it("must be functions", () => {
    expect(() => teamOf("route", { beforeRun: "x" as never })).toThrow(/hooks\.beforeRun must be a function/);
  });
});
