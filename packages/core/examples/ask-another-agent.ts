import assert from "node:assert/strict";
import { Agent, runnableAsTool } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";

const small = new ScriptedModel("It rains on 170 days a year.");
const large = new ScriptedModel(
  { toolCalls: [{ name: "ask_researcher", arguments: { input: "How often does it rain in Oslo?" } }] },
  "Every second day: take an umbrella.",
);

// #region readme
const researcher = new Agent({ name: "researcher", description: "Finds facts.", model: small });
const helper = new Agent({ name: "helper", model: large, tools: [runnableAsTool(researcher)] });

const { text, usage } = await helper.run("Do I need an umbrella in Oslo?"); // usage includes the researcher's
// #endregion

assert.equal(text, "Every second day: take an umbrella.");
assert.equal(usage.totalTokens, 45);
