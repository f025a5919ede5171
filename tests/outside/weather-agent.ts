import { Agent, defineTool } from "@troupe/core";
import type { InMemoryStorage } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";

/** Makes an agent that looks the weather up with a tool of its own, and the list of the tool's calls. */
export function makeWeather(storage: InMemoryStorage): { agent: Agent; looked: unknown[] } {
  const looked: unknown[] = [];
  const weather = defineTool({
    name: "weather",
    description: "Looks up the weather of a city.",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    execute: (args) => {
      looked.push(args);
      return "snow";
    },
  });
  const model = new ScriptedModel().respond(({ messages }) =>
    messages.at(-1)?.role === "tool"
      ? "It snows in Tromsø."
      : { toolCalls: [{ name: "weather", arguments: { city: "Tromsø" } }] },
  );
  return { agent: new Agent({ name: "weather", model, tools: [weather], storage }), looked };
}
