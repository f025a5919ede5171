import { describe, expect, it } from "vitest";
import { getTextContent } from "../../base/message/content.ts";
import type { RunContext } from "../run/run-context.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { allModes, member, memberTurns, orchestratorTurns, sayer, VendorModel } from "./test/teams.ts";
import type { TeamConfig } from "./team-config.ts";
import { Team } from "./team.ts";

function teamOf(mode: TeamConfig["mode"], config: Partial<TeamConfig> = {}) {
  const contexts: RunContext[] = [];
  const hooks = { beforeRun: (context: RunContext) => void contexts.push(context) };
  const [ann, bob] = [
    member("ann", memberTurns(mode, "a"), { hooks }),
    member("bob", memberTurns(mode, "b"), { hooks }),
  ];
  const model = new ScriptedModel(...orchestratorTurns(mode));
  const team = new Team({ name: "team", mode, model, members: [ann.agent, bob.agent], ...config });
  return { team, model, contexts, members: [ann.model, bob.model] };
}

describe.each(allModes)("a team of mode %s", (mode) => {
  it("gives its model options and those of a run to the orchestrator alone [model-options.reach-model] [model-options.not-inherited]", async () => {
    const { team, model, members } = teamOf(mode, { modelOptions: { temperature: 0.2, maxTokens: 70 } });
    await team.run("Hi", { modelOptions: { temperature: 0.4 } });

    expect(model.calls.length).toBeGreaterThan(0);
    for (const { options } of model.calls) expect(options).toMatchObject({ temperature: 0.4, maxTokens: 70 });
    for (const { options } of members.flatMap(({ calls }) => calls)) expect(options).not.toHaveProperty("temperature");
  });

  it("has the metadata and the tenant of the run in its members [run-opts.metadata-everywhere] [run-context.tenant]", async () => {
    const { team, contexts } = teamOf(mode);
    await team.run("Hi", { metadata: { plan: "pro" }, userId: "ada", tenantId: "acme" });

    expect(contexts.length).toBeGreaterThan(0);
    for (const context of contexts) expect(context).toMatchObject({ metadata: { plan: "pro" }, tenantId: "acme" });
  });

  it("ends over a limit of the run, which goes before its own [run-opts.limits]", async () => {
    const { team } = teamOf(mode, { limits: { totalTokens: 1_000_000 } });

    await expect(team.run("Hi", { limits: { totalTokens: 1 } })).rejects.toMatchObject({ code: "limit_exceeded" });
  });

  it("refuses settings that have no effect in it [model-options.team-mode]", async () => {
    const { team } = teamOf(mode);
    const wrong = [
      ...(mode === "coordinate" ? [] : [{ toolChoice: "required" } as const, { parallelToolCalls: false } as const]),
      ...(mode === "route" ? [{ responseFormat: "json" } as const] : []),
    ];
    expect(() => teamOf(mode, { modelOptions: { maxTokens: 7 } })).not.toThrow();
    for (const modelOptions of wrong) {
      expect(() => teamOf(mode, { modelOptions })).toThrow(expect.objectContaining({ code: "invalid_config" }));
      await expect(team.run("Hi", { modelOptions })).rejects.toMatchObject({ code: "invalid_request" });
    }
  });

  it("takes empty instructions [team.instructions]", async () => {
    const { team, model } = teamOf(mode, { instructions: "" });
    await team.run("Hi");

    expect(model.calls[0]?.messages[0]).toMatchObject({ role: "system", content: expect.stringMatching(/\S$/) });
  });
});

describe("a model and instructions of a team's run", () => {
  it.each(allModes)(
    "are the orchestrator's, for that run alone, in mode %s [run-opts.model] [run-opts.instructions]",
    async (mode) => {
      const [ann, bob] = [
        member("ann", [...memberTurns(mode, "a"), ...memberTurns(mode, "a")]),
        member("bob", [...memberTurns(mode, "b"), ...memberTurns(mode, "b")]),
      ];
      const own = new ScriptedModel(...orchestratorTurns(mode));
      const other = new VendorModel("other", ...orchestratorTurns(mode));
      const team = new Team({ name: "t", mode, model: own, members: [ann.agent, bob.agent], instructions: "Own." });
      const output = await team.run("Hi", {
        model: other,
        instructions: "Of the run.",
        apiKeys: { other: "key", scripted: "no" },
      });
      await team.run("Hi");

      expect(other.keys).toEqual(["key"]);
      const systemOf = (model: ScriptedModel) => getTextContent(model.calls[0]?.messages[0]?.content ?? "");
      expect(systemOf(other)).toBe(systemOf(own).replace("Own.", "Of the run."));
      expect(systemOf(other)).toContain("- ann");
      expect(output.modelProvider).toBe("other");
      for (const { model } of [ann, bob]) {
        for (const { messages } of model.calls) expect(JSON.stringify(messages)).not.toContain("Of the run.");
      }
      own.assertDone();
      other.assertDone();
    },
  );

  it("are all that a run of a team may replace: tools are refused [run-opts.own-refused]", async () => {
    const { agent } = sayer("ann", "yes");
    const team = new Team({ name: "t", mode: "coordinate", model: new ScriptedModel(), members: [agent] });

    await expect(team.run("Hi", { tools: [] })).rejects.toMatchObject({
      code: "invalid_request",
      message: "tools must be left out of a run of a team, which has no tools of its own. Give them to its members.",
    });
  });
});

describe("the tool choice of a team", () => {
  it("is for the first model call of its orchestrator [tool-choice.first-call]", async () => {
    const { team, model } = teamOf("coordinate", { modelOptions: { toolChoice: { tool: "delegate_to_ann" } } });
    await team.run("Hi");

    expect(model.calls.map(({ options }) => options.toolChoice)).toEqual([{ tool: "delegate_to_ann" }, undefined]);
  });
});
