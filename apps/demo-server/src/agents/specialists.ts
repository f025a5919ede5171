import { Agent } from "@troupe/core";
import type { ToolDef } from "@troupe/core";
import { calculate } from "../tools/calculate.ts";
import { getTime } from "../tools/get-time.ts";
import { getWeather } from "../tools/get-weather.ts";
import type { Equipment } from "./assistant.ts";

/** Three agents who know one thing each: the members of the demo's teams. */
export type Specialists = { readonly meteorologist: Agent; readonly timekeeper: Agent; readonly accountant: Agent };

/** Makes the three. */
export function createSpecialists(equipment: Equipment): Specialists {
  const specialist = (name: string, description: string, tool: ToolDef) =>
    new Agent({
      ...equipment,
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
