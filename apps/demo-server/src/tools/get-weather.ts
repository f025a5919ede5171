import { defineTool } from "@troupe/core";
import { z } from "zod";
import { findCity, unknownCity } from "./cities.ts";

/** Tells the weather of a city, from a table. */
export const getWeather = defineTool({
  name: "get_weather",
  description: "Tells the weather of a city. It comes from a small table of the demo and is no forecast.",
  parameters: z.strictObject({ city: z.string().min(1).describe("The city's name, like Oslo.") }),
  effect: "pure",
  execute: ({ city: name }) => {
    const city = findCity(name);
    if (city === undefined) return unknownCity(name);
    return `In ${city.name} it is ${city.temperatureC} °C with ${city.sky}, says the demo's table.`;
  },
});
