import { ScriptedModel } from "@troupe/core/testing";

const model = new ScriptedModel("Take an umbrella.");

for await (const chunk of model.stream([{ role: "user", content: "What is the weather like in Oslo?" }])) {
  if (chunk.type === "text") process.stdout.write(chunk.text);
  if (chunk.type === "finish") console.log(` (${chunk.usage?.totalTokens} tokens)`);
}
