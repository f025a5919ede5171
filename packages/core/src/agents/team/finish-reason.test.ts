import { describe, expect, it } from "vitest";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Team } from "./team.ts";
import { Agent } from "../agent/agent.ts";

describe("the finish reason in the output of a run", () => {
  it.each(["length", "content_filter", "error", "other"] as const)(
    "is %s if the model ended for it",
    async (reason) => {
      const answer = { text: "Hel", finishReason: reason };
      const agent = new Agent({ name: "a", model: new ScriptedModel(answer, answer, answer, answer) });
      expect((await agent.run("Hi")).finishReason).toBe(reason);
      expect((await agent.stream("Hi").output).finishReason).toBe(reason);
    },
  );

  it("is absent for a whole answer, whoever gives it", async () => {
    const member = new Agent({ name: "m", model: new ScriptedModel("Hello.", "Hello.") });
    const team = new Team({
      name: "t",
      mode: "route",
      members: [member],
      model: new ScriptedModel({ toolCalls: [{ name: "m", arguments: {} }] }, "m", "m"),
    });
    expect(await member.run("Hi")).not.toHaveProperty("finishReason");
    expect(await team.run("Hi")).not.toHaveProperty("finishReason");
  });

  it("says that the last call asked for tools, if no further roundtrip is allowed", async () => {
    const calls = { toolCalls: [{ name: "look", arguments: {} }] };
    const look = {
      name: "look",
      description: "Looks.",
      parameters: { type: "object" },
      execute: () => "seen",
    } as const;
    const agent = new Agent({ name: "a", model: new ScriptedModel(calls, calls), tools: [look], maxToolRoundtrips: 1 });
    expect((await agent.run("Hi")).finishReason).toBe("tool_roundtrips");
  });
});
