import assert from "node:assert/strict";
import { Agent, defineTool } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { z } from "zod";

const large = new ScriptedModel({ toolCalls: [{ name: "weather", arguments: { city: "Oslo" } }] });
const small = new ScriptedModel("Take an umbrella.");
const weather = defineTool({
  name: "weather",
  description: "Returns the weather in a city.",
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => `Rain in ${city}.`,
});

// #region readme
const agent = new Agent({
  name: "helper",
  model: large,
  tools: [weather],
  // The large model plans; the small one writes the answer.
  prepareStep: ({ index, usage }) => {
    if (usage.totalTokens > 50_000) return { stop: true };
    return index === 0 ? { toolChoice: "required" } : { model: small, toolChoice: "none" };
  },
});
const { text } = await agent.run("What should I take along to Oslo?");
// #endregion

assert.equal(text, "Take an umbrella.");
assert.equal(large.calls[0]?.options.toolChoice, "required");
assert.equal(small.calls.length, 1);
