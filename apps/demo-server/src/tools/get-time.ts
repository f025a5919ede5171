import { defineTool } from "@troupe/core";
import { z } from "zod";
import { findCity, unknownCity } from "./cities.ts";

/** Tells the time, here or in a city of the table. */
export const getTime = defineTool({
  name: "get_time",
  description: "Tells the time and the date: in a city, or where the server is when none is named.",
  parameters: z.strictObject({ city: z.string().min(1).optional().describe("The city's name, like Tokyo.") }),
  effect: "pure",
  execute: ({ city: name }) => {
    if (name === undefined) return `Where the server is, it is ${timeIn()}.`;
    const city = findCity(name);
    if (city === undefined) return unknownCity(name);
    return `In ${city.name} it is ${timeIn(city.timeZone)}.`;
  },
});

function timeIn(timeZone?: string): string {
  const now = new Date();
  const time = now.toLocaleTimeString("en-GB", { timeZone, hour: "2-digit", minute: "2-digit" });
  return `${time} on ${now.toLocaleDateString("en-GB", { timeZone, dateStyle: "full" })}`;
}
