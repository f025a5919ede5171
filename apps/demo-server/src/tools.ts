import { defineTool } from "@troupe/core";
import { z } from "zod";
import { findCity, unknownCity } from "./cities.ts";
import { evaluate } from "./evaluate.ts";

/** Returns the weather of a city, from a table. */
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

/** Returns the time on the server, or in a city of the table. */
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

/** Evaluates an arithmetic expression. */
export const calculate = defineTool({
  name: "calculate",
  description: "Does arithmetic: numbers, + - * / % ^ and parentheses.",
  parameters: z.strictObject({ expression: z.string().min(1).max(200).describe("Like (12 + 3) * 7.") }),
  effect: "pure",
  execute: ({ expression }) => `${expression} = ${evaluate(expression)}.`,
});

function timeIn(timeZone?: string): string {
  const now = new Date();
  const time = now.toLocaleTimeString("en-GB", { timeZone, hour: "2-digit", minute: "2-digit" });
  return `${time} on ${now.toLocaleDateString("en-GB", { timeZone, dateStyle: "full" })}`;
}
