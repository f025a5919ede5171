import type { Agent, ModelProvider, StorageDriver, Team } from "@troupe/core";
import type { ServedWorkflow } from "@troupe/http";
import { createAssistant } from "./agents/assistant.ts";
import { createSpecialists } from "./agents/specialists.ts";
import { createVendorAssistants } from "./agents/vendor-assistants.ts";
import { createWeatherReport } from "./agents/weather-report.ts";
import { createTeams } from "./teams/create-teams.ts";
import { createMorningBriefing } from "./workflows/morning-briefing.ts";

/** All that the demo serves, by name. */
export type Demo = {
  readonly agents: Readonly<Record<string, Agent>>;
  readonly teams: Readonly<Record<string, Team>>;
  readonly workflows: Readonly<Record<string, ServedWorkflow>>;
};

/** Makes the agents, the teams and the workflow, which think with one model and remember in one storage. */
export function createDemo(equipment: { model: ModelProvider; storage: StorageDriver }): Demo {
  const specialists = createSpecialists(equipment);
  return {
    agents: {
      assistant: createAssistant(equipment),
      "weather-report": createWeatherReport(equipment),
      ...specialists,
      ...createVendorAssistants(equipment.storage),
    },
    teams: createTeams(equipment, specialists),
    workflows: { "morning-briefing": createMorningBriefing(specialists) },
  };
}
