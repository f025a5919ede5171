import { Agent, getTextContent, Team } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";

const agrees = { structured: { agree: true } };
const objects = { structured: { agree: false, reason: "Tea first needs water." } };

const ann = new Agent({ name: "ann", model: new ScriptedModel("Tea at five.", agrees, "Fine.", agrees) });
const bob = new Agent({ name: "bob", model: new ScriptedModel("Water first.", objects, "Water, then tea.", agrees) });

const team = new Team({
  name: "kitchen",
  mode: "collaborate",
  model: new ScriptedModel("Water at four, tea at five."),
  members: [ann, bob],
  maxRounds: 3,
});

const { text, toolCalls } = await team.run("What do we drink, and when?");

for (const { toolName, args, result } of toolCalls) {
  console.log(`${toolName} ${JSON.stringify(args)}: ${getTextContent(result)}`);
}
console.log(text);
