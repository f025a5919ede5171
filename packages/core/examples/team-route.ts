import { Agent, Team } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";

const billing = new Agent({
  name: "billing",
  description: "Answers questions about invoices.",
  model: new ScriptedModel("Your invoice is on its way."),
});
const support = new Agent({
  name: "support",
  description: "Helps when something does not work.",
  model: new ScriptedModel("Have you turned it off and on again?"),
});

// Stands for a vendor's model, which picks a member.
const model = new ScriptedModel({ structured: { member: "billing" } });

const desk = new Team({ name: "help desk", mode: "route", model, members: [billing, support] });

for await (const chunk of desk.stream("Where is my invoice?")) {
  if (chunk.type === "text") process.stdout.write(chunk.text);
  if (chunk.type === "finish") console.log(` (${chunk.usage?.totalTokens} tokens)`);
}
