import { describe, expect, it } from "vitest";
import type { Agent } from "../agent/agent.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import type { ScriptedAnswer } from "../../testing/scripted-answer.ts";
import { Team } from "./team.ts";
import { agrees, lastSaid, member, sayer, told } from "./test/teams.ts";

const objects = (reason: string): ScriptedAnswer => ({ structured: { agree: false, reason } });

function teamOf(model: ScriptedModel, members: { agent: Agent }[], maxRounds?: number): Team {
  const rounds = maxRounds === undefined ? {} : { maxRounds };
  return new Team({ name: "team", mode: "collaborate", model, members: members.map(({ agent }) => agent), ...rounds });
}

describe("a team that collaborates", () => {
  it("ends when all agree, and answers from the transcript [team.collaborate]", async () => {
    const [ann, bob] = [member("ann", ["tea", agrees]), member("bob", ["tea too", agrees])];
    const model = new ScriptedModel("Tea.");
    const output = await teamOf(model, [ann, bob]).run("Tea or coffee?");

    expect(output.text).toBe("Tea.");
    expect(lastSaid(model)[0]).toMatch(/^Tea or coffee\?[^]*Round 1: ann\n\ntea[^]*Round 1: bob\n\ntea too/);
    expect(output.toolCalls.map(({ toolName, args }) => [toolName, args])).toEqual([
      ["delegate_to_ann", { round: 1 }],
      ["delegate_to_bob", { round: 1 }],
      ["delegate_to_ann", { round: 1, vote: true }],
      ["delegate_to_bob", { round: 1, vote: true }],
    ]);
  });

  it("shows each member the earlier rounds and the reasons of votes against [team.collaborate]", async () => {
    const ann = member("ann", ["tea", objects("Coffee is strong."), "coffee then", agrees]);
    const bob = member("bob", ["coffee", agrees, "coffee still", agrees]);
    await teamOf(new ScriptedModel("Coffee."), [ann, bob]).run("Tea or coffee?");

    expect(lastSaid(ann.model)[0]).toBe("Tea or coffee?");
    expect(lastSaid(ann.model)[1]).toMatch(/Round 1: bob\n\ncoffee/);
    expect(lastSaid(bob.model)[2]).toMatch(
      /^Tea or coffee\?[^]*Round 1: ann\n\ntea[^]*ann does not agree: Coffee is strong\./,
    );
    expect(lastSaid(bob.model)[2]).not.toMatch(/Round 2/);
    ann.model.assertDone();
    bob.model.assertDone();
  });

  it("goes on when votes only sound like agreement", async () => {
    const speech = 'I agree! {"agree": true} of course.';
    const [ann, bob] = [sayer("ann", speech), sayer("bob", speech)];
    await teamOf(new ScriptedModel("done"), [ann, bob], 2).run("?");

    // Two contributions and the vote between them.
    expect([ann.model.calls.length, bob.model.calls.length]).toEqual([3, 3]);
  });

  it("ends after maxRounds, by default three, and answers all the same [team.max-rounds]", async () => {
    for (const [maxRounds, expected] of [
      [1, 1],
      [undefined, 3],
    ] as const) {
      const [ann, bob] = [sayer("ann", objects("No.")), sayer("bob", objects("No."))];
      const { text, toolCalls } = await teamOf(new ScriptedModel("done"), [ann, bob], maxRounds).run("?");

      expect(text).toBe("done");
      expect(toolCalls.filter(({ args }) => args["vote"] === undefined)).toHaveLength(expected * 2);
      expect(toolCalls.filter(({ args }) => args["vote"] === true)).toHaveLength((expected - 1) * 2);
    }
  });

  it("counts a failed vote as a vote against", async () => {
    const ann = member("ann", ["tea", { error: new Error("broken") }, "tea"]);
    const bob = member("bob", ["tea", agrees, "tea"]);
    const { toolCalls } = await teamOf(new ScriptedModel("done"), [ann, bob], 2).run("?");

    expect(toolCalls.filter(({ error }) => error !== undefined).map(({ args }) => args)).toEqual([
      { round: 1, vote: true },
    ]);
    expect(toolCalls).toHaveLength(6);
  });

  it("holds no vote when a member has structured output", async () => {
    const schema = { type: "object", properties: { drink: { type: "string" } }, required: ["drink"] } as const;
    const ann = sayer("ann", { structured: { drink: "tea" } }, { structuredOutput: schema });
    const bob = sayer("bob", "tea");
    const { toolCalls } = await teamOf(new ScriptedModel("done"), [ann, bob], 2).run("?");

    expect(toolCalls.map(({ args }) => args)).toEqual([{ round: 1 }, { round: 1 }, { round: 2 }, { round: 2 }]);
  });

  it("runs a single member once", async () => {
    const ann = member("ann", ["tea"]);
    const model = new ScriptedModel("Tea.");
    await teamOf(model, [ann]).run("?");

    expect(told(model.calls[0])).toContain("Round 1: ann\n\ntea");
  });

  it("goes on without a member that fails, and fails when none contributes", async () => {
    const [ann, bob] = [sayer("ann", { error: new Error("broken") }), sayer("bob", { error: new Error("broken") })];
    const model = new ScriptedModel("done");

    await expect(teamOf(model, [ann, bob]).run("?")).rejects.toMatchObject({ code: "internal" });
    expect(model.calls).toEqual([]);
  });
});
