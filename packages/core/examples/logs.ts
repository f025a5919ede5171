import assert from "node:assert/strict";
import { Agent, createLogger, defineTool } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { z } from "zod";

const model = new ScriptedModel({ toolCalls: [{ name: "weather", arguments: { city: "Oslo" } }] }, "Take an umbrella.");
const lines: string[] = [];

// #region readme
const weather = defineTool({
  name: "weather",
  description: "Returns the weather in a city.",
  parameters: z.object({ city: z.string() }),
  execute: ({ city }, context) => {
    context.logger.info("Looked up the weather.", { city }); // with the ids of the run and the call
    return `Rain in ${city}.`;
  },
});

const logger = createLogger({ level: "info", write: (line) => lines.push(line) });
const agent = new Agent({ name: "helper", model, tools: [weather], logger });
await agent.run("What should I take along to Oslo?");
// #endregion

assert.equal(lines.length, 2);
assert.match(lines[0] ?? "", /"city":"Oslo"/);
assert.match(lines[1] ?? "", /"tokens":30/);
