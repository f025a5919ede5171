import { Agent, Team } from "@troupe/core";
import type { ToolDef } from "@troupe/core";
import type { Resources } from "./agents.ts";
import { calculate, getTime, getWeather } from "./tools.ts";

/** The members of the teams: agents with one tool each. */
export type Specialists = { readonly meteorologist: Agent; readonly timekeeper: Agent; readonly accountant: Agent };

/** Creates the members of the teams. */
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

/** The teams by name, one of each mode. */
const modes = {
  "travel-desk": {
    mode: "coordinate",
    description: "Delegates the parts of a question to its members, and combines their answers.",
  },
  "help-desk": { mode: "route", description: "Passes a question on to the one member that it fits." },
  "city-guides": {
    mode: "broadcast",
    description: "Asks all members the same question at once, and combines their answers.",
  },
  "trip-planners": {
    mode: "collaborate",
    description: "Lets the members discuss a question in rounds until they agree.",
  },
} as const;

/**
 * Creates a team of each mode, with the meteorologist, the timekeeper and the accountant. A discussion has only the
 * first two.
 */
export function createTeams(resources: Resources, specialists: Specialists): Record<string, Team> {
  const { accountant, ...travellers } = specialists;
  const teams = Object.entries(modes).map(([name, { mode, description }]) => {
    const members = [...Object.values(travellers), ...(mode === "collaborate" ? [] : [accountant])];
    const about = `${description} Members: ${members.map((member) => member.name).join(", ")}.`;
    return [
      name,
      new Team({
        ...resources,
        name,
        description: about,
        mode,
        members,
        ...(mode === "collaborate" && { maxRounds: 2 }),
      }),
    ] as const;
  });
  return Object.fromEntries(teams);
}
