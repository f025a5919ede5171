import { createService } from "@troupe/core/service";
import type { ServiceOptions } from "@troupe/core/service";
import { Team, TroupeError, Workflow } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { scripted, weatherTool, weatherTurns } from "../test/agents.ts";
import { openaiApi } from "./index.ts";

/** An agent whose tool needs an approval, and one with a tool that needs none. */
const asking = () => scripted(weatherTurns, { tools: [weatherTool({ needsApproval: true }).tool] }).agent;
const quiet = () => scripted(weatherTurns, { tools: [weatherTool().tool] }).agent;
const bare = () => scripted([{ text: "Hi" }]).agent;
const team = () => new Team({ name: "team", mode: "route", model: scripted([]).model, members: [bare()] });
const flow = () => new Workflow({ name: "flow", initialState: {}, steps: [] });

/** Returns the names of agents for which Chat Completions refuse to serve; none if they serve all. */
function refusal(options: ServiceOptions): string | undefined {
  const service = createService(options);
  try {
    openaiApi().routes(service, []);
    return undefined;
  } catch (error) {
    if (!TroupeError.is(error) || error.code !== "invalid_config") throw error;
    return /"weather" of the agent "(\w+)"/.exec(error.message)?.[1];
  }
}

describe("an agent whose approvals Chat Completions cannot ask for", () => {
  it.each<[string, ServiceOptions["agents"], string | undefined]>([
    ["alone", { a: asking() }, "a"],
    ["behind an agent without tools", { a: bare(), b: asking() }, "b"],
    ["behind agents whose tools need none", { a: quiet(), b: quiet(), c: asking() }, "c"],
    ["between others", { a: quiet(), b: asking(), c: bare() }, "b"],
    ["before another one of its kind", { a: asking(), b: quiet(), c: asking() }, "a"],
    ["nowhere", { a: quiet(), b: bare(), c: quiet() }, undefined],
  ])("is found %s", (_place, agents, found) => {
    expect(refusal({ agents })).toBe(found);
    expect(refusal({ agents, teams: { team: team() }, workflows: { flow: flow() } })).toBe(found);
  });
});
