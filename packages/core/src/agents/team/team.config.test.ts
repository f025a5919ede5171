import { describe, expect, it } from "vitest";
import { Agent } from "../agent/agent.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Team } from "./team.ts";
import type { TeamConfig } from "./team-config.ts";
import { sayer, told } from "./test/teams.ts";

const model = new ScriptedModel();
const { agent } = sayer("ann", "fine");
const right: TeamConfig = { name: "team", mode: "coordinate", model, members: [agent] };

function refusal(wrong: object): unknown {
  try {
    return new Team({ ...right, ...wrong });
  } catch (error) {
    return error;
  }
}

describe("the configuration of a team", () => {
  it("can be read from the team [team.model] [team.members]", () => {
    const team = new Team({ ...right, description: "Does things." });
    const { kind, name, description, mode, modelId, providerId, members } = team;

    expect({ kind, name, description, mode, modelId, providerId }).toEqual({
      kind: "team",
      name: "team",
      description: "Does things.",
      mode: "coordinate",
      modelId: "scripted-1",
      providerId: "scripted",
    });
    expect(members).toEqual([agent]);
  });

  it.each([
    [{ name: " " }, /name/],
    [{ name: "\uD800" }, /name/],
    [{ mode: "constructor" }, /mode must be "coordinate", "route", "broadcast" or "collaborate"/],
    [{ model: "gpt" }, /model/],
    [{ members: [] }, /at least one member/],
    [{ members: agent }, /members/],
    [{ members: [{ name: "x" }] }, /members\[0\]/],
    // oxlint-disable-next-line no-sparse-arrays -- what is tested
    [{ members: [agent, , agent] }, /members\[1\]/],
    [{ members: [agent, new Agent({ name: "ann", model })] }, /two members named "ann"/],
    [{ instructions: 5 }, /instructions/],
    [{ maxRounds: 2 }, /maxRounds.*collaborate/],
    [{ mode: "collaborate", maxRounds: 0 }, /maxRounds/],
    [{ storage: {} }, /storage/],
    [{ eventBus: {} }, /eventBus/],
    [{ limits: { durationMs: -1 } }, /durationMs/],
    [{ retry: { maxRetries: -1 } }, /maxRetries/],
    [{ maxContextTokens: 0 }, /maxContextTokens/],
    [{ numHistoryRuns: -1 }, /numHistoryRuns/],
    [{ onBusy: "wait" }, /onBusy/],
    [{ onBusy: { maxWaiting: -1 } }, /maxWaiting/],
    [{ memberSessions: "keep" }, /memberSessions/],
    [{ tools: [] }, /Unknown option "tools" of team "team"/],
  ])("is refused with what to mend: %o [team.members]", (wrong, sentence) => {
    const error = refusal(wrong);

    expect(error).toMatchObject({ code: "invalid_config" });
    expect((error as Error).message).toMatch(sentence);
  });

  it("is read once: members added to the array later do not join the team", () => {
    const members = [agent];
    const team = new Team({ ...right, members });
    members.push(sayer("late", "fine").agent);

    expect(team.members).toEqual([agent]);
  });

  it("is read once: limits that the application changes later have no effect", async () => {
    const limits = { totalTokens: 1 };
    const team = new Team({ ...right, model: new ScriptedModel("Done."), limits });
    limits.totalTokens = 1_000_000;

    await expect(team.run("Hi")).rejects.toMatchObject({ code: "limit_exceeded" });
  });

  it("puts the members and the instructions into the orchestrator's prompt [team.instructions]", async () => {
    const orchestrator = new ScriptedModel("done");
    const described = new Agent({ name: "bob", description: "Knows the weather.", model });
    const members = [agent, described];
    await new Team({ ...right, model: orchestrator, members, instructions: "Be brief." }).run("Hi");

    expect(told(orchestrator.calls[0])).toMatch(/- ann\n- bob: Knows the weather\.[^]*Be brief\./);
  });
});
