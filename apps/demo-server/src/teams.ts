import { Agent, Team } from "@troupe/core";
import type { ToolDef } from "@troupe/core";
import type { Resources } from "./agents.ts";
import { calculate, getTime, getWeather } from "./tools.ts";

/** The members of the teams: agents with one tool each. */
export type Specialists = { readonly meteorologist: Agent; readonly timekeeper: Agent; readonly accountant: Agent };

/** Creates the members. */
export function createSpecialists(resources: Resources): Specialists {
  const specialist = (name: string, description: string, tool: ToolDef) =>
    new Agent({
      ...resources,
      name,
      description,
      instructions: "Answer in one sentence, from what your tool says. Say so when it does not know.",
      tools: [tool],
    });
  return {
    meteorologist: specialist("meteorologist", "Knows the weather of cities.", getWeather),
    timekeeper: specialist("timekeeper", "Knows the time and the date, here and in cities.", getTime),
    accountant: specialist("accountant", "Does arithmetic.", calculate),
  };
}

/** Creates two teams of the same members: one combines their answers, the other passes the question on to one of them. */
export function createTeams(resources: Resources, specialists: Specialists): Record<string, Team> {
  const members = Object.values(specialists);
  return {
    "travel-desk": new Team({
      ...resources,
      name: "travel-desk",
      description: "Answers travellers: asks the meteorologist, the timekeeper and the accountant, and combines it.",
      mode: "coordinate",
      members,
    }),
    "help-desk": new Team({
      ...resources,
      name: "help-desk",
      description: "Passes a question on to the meteorologist, the timekeeper or the accountant.",
      mode: "route",
      members,
    }),
  };
}
