import { Agent } from "@troupe/core";
import type { ModelProvider, StorageDriver } from "@troupe/core";
import { calculate } from "../tools/calculate.ts";
import { getTime } from "../tools/get-time.ts";
import { getWeather } from "../tools/get-weather.ts";

/** What an agent of the demo thinks with, and where it remembers. */
export type Equipment = { readonly model: ModelProvider; readonly storage: StorageDriver };

/** An agent with all tools of the demo. */
export function createAssistant(equipment: Equipment, { name = "assistant", note = "" } = {}): Agent {
  return new Agent({
    ...equipment,
    name,
    description: `Answers questions; looks up the time and the weather, and does arithmetic.${note}`,
    instructions:
      "Answer in a few plain sentences. Use your tools for the time, the weather and arithmetic, and say nothing about them that you have not looked up.",
    tools: [getTime, getWeather, calculate],
  });
}
