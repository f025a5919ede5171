import assert from "node:assert/strict";
import { Agent, Team } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";

const small = new ScriptedModel("It rains in Oslo on 170 days a year.", "Oslo: bring an umbrella.");
const large = new ScriptedModel(
  { toolCalls: [{ name: "delegate_to_researcher", arguments: { task: "How often does it rain in Oslo?" } }] },
  { toolCalls: [{ name: "delegate_to_writer", arguments: { task: "A slogan: it rains in Oslo on 170 days." } }] },
  "Here is your slogan: Oslo: bring an umbrella.",
);

// #region readme
const researcher = new Agent({ name: "researcher", description: "Finds facts.", model: small });
const writer = new Agent({ name: "writer", description: "Writes short texts.", model: small });

const team = new Team({ name: "marketing", mode: "coordinate", model: large, members: [researcher, writer] });
const { text, toolCalls, usage } = await team.run("A slogan for Oslo, please.");
// #endregion

assert.equal(text, "Here is your slogan: Oslo: bring an umbrella.");
assert.deepEqual(
  toolCalls.map(({ toolName }) => toolName),
  ["delegate_to_researcher", "delegate_to_writer"],
);
assert.equal(usage.totalTokens, 75);
