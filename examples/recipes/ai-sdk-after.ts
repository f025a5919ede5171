import assert from "node:assert/strict";
import { startVendor } from "./offline/vendor.ts";
// #region readme
import { Agent, defineTool } from "@troupe/core";
import { openai } from "@troupe/providers-openai";
import { z } from "zod";
// #endregion

const answers = [{ tool: "weather", args: { city: "Oslo" } }, "Take an umbrella.", "In Oslo, yes."] as const;
const { baseURL, asked, close } = await startVendor(...answers);
const apiKey = "example";

// #region readme
const weather = defineTool({
  name: "weather",
  description: "Tells the weather in a city.",
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => `Rain in ${city}.`,
});
const helper = new Agent({
  name: "helper",
  model: openai("gpt-6.1-sol", { baseURL, apiKey }),
  instructions: "Answer in one sentence.",
  tools: [weather],
  maxToolRoundtrips: 4,
});

async function ask(sessionId: string, input: string) {
  const { text, usage } = await helper.run(input, { sessionId });
  return { text, tokens: usage.totalTokens };
}

console.log(await ask("ada", "What should I take along to Oslo?"));
console.log(await ask("ada", "Will it rain?"));
// #endregion

assert.deepEqual(
  asked.map(({ messages }) => messages.length),
  [2, 4, 6],
);
close();
