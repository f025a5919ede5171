import { TroupeError } from "@troupe/core";

// Without a key the program ends at its first model call, and the error says which key is missing.
process.once("uncaughtException", (error) => {
  if (!TroupeError.is(error) || error.code !== "unauthorized") throw error;
  console.log(error.message);
});

// #region readme
import { Agent, defineTool } from "@troupe/core";
import { openai } from "@troupe/providers-openai";
import { z } from "zod";

const weather = defineTool({
  name: "weather",
  description: "Tells the weather in a city.",
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => `Rain in ${city}.`,
});

const model = openai("gpt-6.1-sol"); // its key is in OPENAI_API_KEY
const agent = new Agent({ name: "helper", model, instructions: "Answer in one sentence.", tools: [weather] });

for await (const chunk of agent.stream("What should I take along to Oslo?")) {
  if (chunk.type === "text") process.stdout.write(chunk.text);
  if (chunk.type === "finish") console.log(` (${chunk.usage?.totalTokens} tokens)`);
}
// #endregion
