import { Agent } from "@troupe/core";
import type { ModelProvider, StorageDriver } from "@troupe/core";
import { z } from "zod";
import { createBookRoom } from "./bookings.ts";
import { vendors } from "./choose-model.ts";
import { calculate, getTime, getWeather } from "./tools.ts";

/** The model and the storage that the agents share. */
export type Resources = { readonly model: ModelProvider; readonly storage: StorageDriver };

/** Creates an agent with all tools of the demo. */
export function createAssistant(resources: Resources, { name = "assistant", note = "" } = {}): Agent {
  return new Agent({
    ...resources,
    name,
    description: `Answers questions; looks up the time and the weather, and does arithmetic.${note}`,
    instructions:
      "Answer in a few plain sentences. Use your tools for the time, the weather and arithmetic, and say nothing about them that you have not looked up.",
    tools: [getTime, getWeather, calculate],
  });
}

/** Creates an agent whose bookings have to be approved: its run waits, for days if need be, until one of its callers answers. */
export function createConcierge(resources: Resources): Agent {
  return new Agent({
    ...resources,
    name: "concierge",
    description: "Books rooms in the demo's hotel once each booking is approved, and knows the weather there.",
    instructions:
      "Book what you are asked to book, look up the weather, and say nothing that your tools have not said.",
    tools: [createBookRoom(resources.storage), getWeather],
  });
}

const report = z.strictObject({
  city: z.string(),
  temperatureC: z.number().nullable().describe("In degrees Celsius; null when it is not known."),
  sky: z.enum(["sun", "clouds", "rain", "snow", "unknown"]),
  advice: z.string().describe("What to take along, in one sentence."),
});

/** Creates an agent with structured output: it answers with data instead of prose. */
export function createWeatherReport(resources: Resources): Agent<typeof report> {
  return new Agent({
    ...resources,
    name: "weather-report",
    description: "Reports the weather of a city as data: city, temperatureC, sky and advice.",
    instructions: "Report the weather of the city that you are asked about. Look it up, and make nothing up.",
    tools: [getWeather],
    structuredOutput: report,
  });
}

const vendorAssistants = {
  "openai-assistant": { vendor: vendors.openai, header: "x-openai-api-key" },
  "claude-assistant": { vendor: vendors.anthropic, header: "x-anthropic-api-key" },
  "gemini-assistant": { vendor: vendors.google, header: "x-google-api-key" },
};

/** Creates an assistant for each vendor. A server without a key serves them too: the caller's key comes in the header. */
export function createVendorAssistants(storage: StorageDriver): Record<string, Agent> {
  const entries = Object.entries(vendorAssistants).map(([name, { vendor, header }]) => {
    const note = ` Uses ${vendor.modelId}, with the server's key or the one in ${header}.`;
    return [name, createAssistant({ model: vendor.model(vendor.modelId), storage }, { name, note })] as const;
  });
  return Object.fromEntries(entries);
}
