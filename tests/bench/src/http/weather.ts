import { defineTool } from "@troupe/core";

/** The tool of the measured runs. The baselines have the same by hand. */
export const weather = defineTool({
  name: "weather",
  description: "The weather of a city.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  execute: ({ city }) => `Rain in ${String(city)}.`,
});
