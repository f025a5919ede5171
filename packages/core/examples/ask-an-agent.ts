import { Agent, defineTool } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";

const weather = defineTool({
  name: "weather",
  description: "Tells what the weather is like in a city.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  execute: ({ city }) => `Rain in ${String(city)}.`,
});

// Stands for a vendor's model, which @troupe/providers-openai and its sisters have.
const model = new ScriptedModel({ toolCalls: [{ name: "weather", arguments: { city: "Oslo" } }] }, "Take an umbrella.");

const agent = new Agent({ name: "helper", model, instructions: "Answer in one sentence.", tools: [weather] });

for await (const chunk of agent.stream("What should I take along to Oslo?")) {
  if (chunk.type === "text") process.stdout.write(chunk.text);
  if (chunk.type === "finish") console.log(` (${chunk.usage?.totalTokens} tokens)`);
}
