import { defineTool } from "@troupe/core";
import { z } from "zod";

/** The weather of any city. Replace it by a call of a service that knows. */
export const weather = defineTool({
  name: "weather",
  description: "Tells the weather in a city.",
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => `Rain in ${city}, 9 °C.`,
});
