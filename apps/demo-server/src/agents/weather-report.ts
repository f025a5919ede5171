import { Agent } from "@troupe/core";
import { z } from "zod";
import { getWeather } from "../tools/get-weather.ts";
import type { Equipment } from "./assistant.ts";

const report = z.strictObject({
  city: z.string(),
  temperatureC: z.number().nullable().describe("In degrees Celsius; null when it is not known."),
  sky: z.enum(["sun", "clouds", "rain", "snow", "unknown"]),
  advice: z.string().describe("What to take along, in a sentence."),
});

/** An agent that answers with data instead of prose. */
export function createWeatherReport(equipment: Equipment): Agent<typeof report> {
  return new Agent({
    ...equipment,
    name: "weather-report",
    description: "Reports the weather of a city as data: city, temperatureC, sky and advice.",
    instructions: "Report the weather of the city that you are asked about. Look it up, and make nothing up.",
    tools: [getWeather],
    structuredOutput: report,
  });
}
