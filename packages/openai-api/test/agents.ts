import { Agent, defineTool, InMemoryStorage } from "@troupe/core";
import type { AgentConfig } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";

/** Makes an agent with a scripted model, and returns both. */
export function scripted(
  turns: ConstructorParameters<typeof ScriptedModel>,
  config: Partial<AgentConfig> = {},
): { agent: Agent; model: ScriptedModel } {
  const model = new ScriptedModel(...turns);
  return { agent: new Agent({ name: "helper", model, storage: new InMemoryStorage(), ...config }), model };
}

/** Makes an agent that tells all that was said to it in a session. */
export function teller(config: Partial<AgentConfig> = {}): Agent {
  const model = new ScriptedModel().respond(({ messages }) =>
    messages.flatMap(({ role, content }) => (role === "user" ? [content as string] : [])).join("; "),
  );
  return new Agent({ name: "teller", model, storage: new InMemoryStorage(), ...config });
}

/** A tool of the agent's own, with the cities that it was asked about. */
export function weatherTool(options: { needsApproval?: boolean } = {}) {
  const asked: unknown[] = [];
  const tool = defineTool({
    name: "weather",
    description: "Tells the weather.",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    ...options,
    execute: (args) => {
      asked.push(args);
      return "rain";
    },
  });
  return { tool, asked };
}

/** A turn in which the model calls the tool, and one in which it answers. */
export const weatherTurns: ConstructorParameters<typeof ScriptedModel> = [
  { text: "Let me see.", toolCalls: [{ id: "c1", name: "weather", arguments: { city: "Oslo" } }] },
  { text: ["It ", "rains."] },
];
