import type { Agent, Team } from "@troupe/core";
import { createAssistant, createConcierge, createVendorAssistants, createWeatherReport } from "./agents.ts";
import type { Resources } from "./agents.ts";
import { createMorningBriefing } from "./morning-briefing.ts";
import { createSpecialists, createTeams } from "./teams.ts";

/** All agents, teams and workflows of the demo, by name. */
export type Demo = {
  readonly agents: Readonly<Record<string, Agent>>;
  readonly teams: Readonly<Record<string, Team>>;
  readonly workflows: Readonly<Record<string, ReturnType<typeof createMorningBriefing>>>;
};

/** Creates the agents, teams and workflows. */
export function createDemo(resources: Resources): Demo {
  const specialists = createSpecialists(resources);
  return {
    agents: {
      assistant: createAssistant(resources),
      "weather-report": createWeatherReport(resources),
      concierge: createConcierge(resources),
      ...specialists,
      ...createVendorAssistants(resources.storage),
    },
    teams: createTeams(resources, specialists),
    workflows: { "morning-briefing": createMorningBriefing(specialists) },
  };
}
