import { describe, expect, it } from "vitest";
import { Agent } from "../agent/agent.ts";
import { EventBus } from "../../base/events/event-bus.ts";
import type { RunEvents } from "../run/run-events.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import type { TeamConfig, TeamMode } from "./team-config.ts";
import { TeamParts } from "./team-parts.ts";
import { plainMembers } from "./test/plain-members.ts";
import { told } from "./test/teams.ts";
import { Team } from "./team.ts";

const model = new ScriptedModel();
const members = plainMembers({ ann: {}, bob: { description: "Knows the weather." }, cid: { description: "" } }).map(
  ({ runnable }) => runnable,
);
const config: TeamConfig = { name: "team", mode: "coordinate", model, members };
const list = "You lead a team. Its members are:\n\n- ann\n- bob: Knows the weather.\n- cid\n\n";

describe("TeamParts", () => {
  it.each<[TeamMode, RegExp]>([
    ["coordinate", /^Hand tasks to your members with the tools .* its part is missing, say so\.$/],
    ["route", /^Pick the one member .* Answer with JSON alone that holds its name as it stands in the list\.$/],
    ["broadcast", /^All your members answer what the user said\. .* its part is missing, say so\.$/],
    ["collaborate", /^Your members discuss what the user said\. .* where they do not agree, say so\.$/],
  ])("has a prompt with the members, the task of mode %s and the instructions", (mode, task) => {
    const parts = new TeamParts({ ...config, mode });
    const prompt = parts.promptWith(undefined);

    expect(prompt.startsWith(list)).toBe(true);
    expect(prompt.slice(list.length)).toMatch(task);
    expect(parts.promptWith("")).toBe(prompt);
    expect(parts.promptWith("Be brief.")).toBe(`${prompt}\n\nBe brief.`);
  });

  it("gives the orchestrator the team's own instructions", async () => {
    const orchestrator = new ScriptedModel("Fine.");
    const agent = new Agent({ name: "ann", model });
    const own = { ...config, model: orchestrator, members: [agent], instructions: "Be brief." };
    await new Team(own).run("Hi");

    expect(told(orchestrator.calls[0])).toContain(new TeamParts(own).promptWith("Be brief."));
  });

  it("has the members of its configuration, their events, and the bus of the orchestrator", () => {
    const eventBus = new EventBus<RunEvents>();
    const parts = new TeamParts({ ...config, eventBus });

    expect(parts.members.map(({ name, toolName }) => [name, toolName])).toEqual([
      ["ann", "delegate_to_ann"],
      ["bob", "delegate_to_bob"],
      ["cid", "delegate_to_cid"],
    ]);
    expect([parts.eventBus, parts.orchestrator.eventBus]).toEqual([eventBus, eventBus]);
    expect(parts.events).toBe(parts.events);
    const seen: string[] = [];
    eventBus.on("tool.call", ({ runId }) => void seen.push(runId));
    parts.events.open("r");
    members[1]?.eventBus.emit("tool.call", {
      runId: "c",
      sessionId: "s",
      parentRunId: "r",
      toolCallId: "1",
      toolName: "t",
      args: {},
    });
    parts.events.close("r");
    expect(seen).toEqual(["c"]);
  });
});
