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
import type { Toolkits } from "./choose-toolkits.ts";
import { createMorningBriefing } from "./morning-briefing.ts";
import { createSpecialists, createTeams } from "./teams.ts";
import { createToolkitAgents } from "./toolkit-agents.ts";

/** All agents, teams and workflows of the demo, by name. */
export type Demo = {
  readonly agents: Readonly<Record<string, Agent>>;
  readonly teams: Readonly<Record<string, Team>>;
  readonly workflows: Readonly<Record<string, ReturnType<typeof createMorningBriefing>>>;
};

/**
 * Creates the demo's agents, teams and workflows. An agent that needs a toolkit exists only if the environment has its
 * credentials.
 */
export function createDemo(resources: Resources, searchDocs: ToolDef, toolkits: Toolkits = {}): Demo {
  const specialists = createSpecialists(resources);
  return {
    agents: {
      assistant: createAssistant(resources),
      support: createSupport(resources, searchDocs),
      extractor: createExtractor(resources),
      companion: createCompanion(resources),
      "weather-report": createWeatherReport(resources),
      researcher: createResearcher(resources, { webSearch: toolkits.webSearch }),
      concierge: createConcierge(resources),
      ...specialists,
      ...createVendorAssistants(resources.storage),
      ...createToolkitAgents(resources, toolkits),
    },
    teams: createTeams(resources, specialists),
    workflows: { "morning-briefing": createMorningBriefing(specialists) },
  };
}
