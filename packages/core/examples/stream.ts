import assert from "node:assert/strict";
import { Agent, RunError } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";

const model = new ScriptedModel("Take an umbrella.", "Rain again.");
let shown = "";

// #region readme
const agent = new Agent({ name: "helper", model });

const stream = agent.stream("What should I take along to Oslo?");
for await (const text of stream.textStream) shown += text;
const { usage } = await stream.output; // the same output as from run()

try {
  await agent.run("And to Bergen?", { limits: { totalTokens: 10 } });
} catch (error) {
  if (!(error instanceof RunError)) throw error;
  shown += ` Stopped (${error.code}) after ${error.output.usage.totalTokens} tokens.`;
}
// #endregion

assert.equal(shown, "Take an umbrella. Stopped (limit_exceeded) after 15 tokens.");
assert.equal(usage.totalTokens, 15);
