import { Workflow } from "@troupe/core";
import type { Specialists } from "./teams.ts";

type Briefing = { city: string; weather: string; time: string; umbrella: boolean; briefing: string };

/**
 * Creates a workflow: two agents in parallel, a condition on their answers, and a function that writes the briefing.
 */
export function createMorningBriefing({ meteorologist, timekeeper }: Specialists): Workflow<Briefing> {
  return new Workflow<Briefing>({
    name: "morning-briefing",
    description: "The weather and the time in a city, in a few lines.",
    inputSchema: {
      type: "object",
      properties: {
        city: {
          type: "string",
          title: "City",
          description: "The place whose weather and time you want.",
          minLength: 1,
        },
      },
      additionalProperties: false,
    },
    initialState: { city: "Oslo", weather: "", time: "", umbrella: false, briefing: "" },
    steps: [
      {
        name: "look-around",
        parallel: [
          { name: "weather", agent: meteorologist, inputFrom: ({ city }) => `What is the weather in ${city}?` },
          { name: "time", agent: timekeeper, inputFrom: ({ city }) => `What time is it in ${city}?` },
        ],
      },
      {
        name: "if-it-is-wet",
        condition: ({ weather }) => /\b(?:rain|snow)/i.test(weather),
        steps: [{ name: "take-umbrella", effect: "pure", run: () => ({ umbrella: true }) }],
      },
      {
        name: "write",
        effect: "pure",
        run: ({ time, weather, umbrella }) => ({
          briefing: ["Good morning.", time, weather, umbrella ? "Take an umbrella." : "Leave the umbrella."].join(" "),
        }),
      },
    ],
  });
}
