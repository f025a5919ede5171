import assert from "node:assert/strict";
import { Agent, defineTool } from "@troupe/core";
import { z } from "zod";
// #region readme
import { ScriptedModel } from "@troupe/core/testing";

// Answers in order, records every call, and fails on a call that the script does not foresee.
const model = new ScriptedModel({ toolCalls: [{ name: "weather", arguments: { city: "Oslo" } }] }, "Take an umbrella.");
// #endregion

const weather = defineTool({
  name: "weather",
  description: "Tells the weather in a city.",
  parameters: z.object({ city: z.string() }),
  execute: () => "rain",
});

// #region readme
const output = await new Agent({ name: "helper", model, tools: [weather] }).run("Oslo?");

assert.equal(output.text, "Take an umbrella.");
assert.deepEqual(model.calls[1]?.messages.at(-1), { role: "tool", toolCallId: "1", content: "rain" });
// #endregion
