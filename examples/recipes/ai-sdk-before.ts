import assert from "node:assert/strict";
import { startVendor } from "./offline/vendor.ts";
// #region readme
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, isStepCount, tool } from "ai";
import type { ModelMessage } from "ai";
import { z } from "zod";
// #endregion

const answers = [{ tool: "weather", args: { city: "Oslo" } }, "Take an umbrella.", "In Oslo, yes."] as const;
const { baseURL, asked, close } = await startVendor(...answers);
const apiKey = "example";

// #region readme
const vendor = createOpenAICompatible({ name: "vendor", baseURL, apiKey });
const weather = tool({
  description: "Tells the weather in a city.",
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => `Rain in ${city}.`,
});
const conversations = new Map<string, ModelMessage[]>();

async function ask(id: string, content: string) {
  const history = conversations.get(id) ?? [];
  const question: ModelMessage = { role: "user", content };
  const { text, usage, responseMessages } = await generateText({
    model: vendor("gpt-6.1-sol"),
    instructions: "Answer in one sentence.",
    tools: { weather },
    stopWhen: isStepCount(5),
    messages: [...history, question],
  });
  conversations.set(id, [...history, question, ...responseMessages]);
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
