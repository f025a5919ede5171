import { Agent, Team } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";

const lawyer = new Agent({ name: "lawyer", model: new ScriptedModel("The contract can be ended in May.") });
const accountant = new Agent({ name: "accountant", model: new ScriptedModel("Ending it saves 900 a year.") });
const offline = new Agent({ name: "offline", model: new ScriptedModel({ error: new Error("no connection") }) });

const board = new Team({
  name: "board",
  mode: "broadcast",
  model: new ScriptedModel("End it in May and save 900 a year. One of us could not be reached."),
  members: [lawyer, accountant, offline],
});

const { text, toolCalls } = await board.run("Should we end the contract?");

console.log(text);
for (const { toolName, error } of toolCalls) console.log(`${toolName} ${error === undefined ? "answered" : "failed"}`);
