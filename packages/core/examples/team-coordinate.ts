import { Agent, Team } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";

const researcher = new Agent({
  name: "researcher",
  description: "Finds facts.",
  model: new ScriptedModel("It rains in Oslo on 170 days a year."),
});
const writer = new Agent({
  name: "writer",
  description: "Writes short texts.",
  model: new ScriptedModel("Oslo: bring an umbrella."),
});

// Stands for a vendor's model: it asks for facts, then for a text, and answers.
const model = new ScriptedModel(
  { toolCalls: [{ name: "delegate_to_researcher", arguments: { task: "How often does it rain in Oslo?" } }] },
  { toolCalls: [{ name: "delegate_to_writer", arguments: { task: "A slogan: it rains in Oslo on 170 days." } }] },
  "Here is your slogan: Oslo: bring an umbrella.",
);

const team = new Team({ name: "marketing", mode: "coordinate", model, members: [researcher, writer] });

const { text, toolCalls, usage } = await team.run("A slogan for Oslo, please.");

for (const { toolName, result } of toolCalls) console.log(`${toolName}: ${result}`);
console.log(text, `(${usage.totalTokens} tokens)`);
