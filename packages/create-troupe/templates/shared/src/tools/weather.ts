import { defineTool } from "@troupe/core";
import { z } from "zod";

/** Returns the weather of any city, which is invented. Replace it by a call of a weather service. */
export const weather = defineTool({
  name: "weather",
  description: "Tells the weather in a city.",
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => `Rain in ${city}, 9 °C.`,
});
