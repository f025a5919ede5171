import type { Agent, Team, ToolDef } from "@troupe/core";
import {
  createAssistant,
  createCompanion,
  createConcierge,
  createExtractor,
  createResearcher,
  createSupport,
  createVendorAssistants,
  createWeatherReport,
} from "./agents.ts";
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
export function createDemo(resources: Resources, searchDocs: ToolDef): Demo {
  const specialists = createSpecialists(resources);
  return {
    agents: {
      assistant: createAssistant(resources),
      support: createSupport(resources, searchDocs),
      extractor: createExtractor(resources),
      companion: createCompanion(resources),
      "weather-report": createWeatherReport(resources),
      researcher: createResearcher(resources),
      concierge: createConcierge(resources),
      ...specialists,
      ...createVendorAssistants(resources.storage),
    },
    teams: createTeams(resources, specialists),
    workflows: { "morning-briefing": createMorningBriefing(specialists) },
  };
}
