// Talks to the agent `model` at `baseURL` with each client, and prints a line for each: its name, and what went wrong.
import { createOpenResponses } from "@ai-sdk/open-responses";
import { HumanMessage } from "@langchain/core/messages";
import { tool as langChainTool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { Providers, Run } from "@librechat/agents";
import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from "@openai/agents";
import { generateText } from "ai";
import OpenAI from "openai";
import { z } from "zod";

const [baseURL, model] = process.argv.slice(2);
const apiKey = "none";
setTracingDisabled(true);

const getTime = tool({
  name: "time_of_the_client",
  description: "Tells the time.",
  parameters: z.object({}),
  execute: () => "12:00",
});

const runAgent = async (useResponses, tools) => {
  const modelProvider = new OpenAIProvider({ apiKey, baseURL, useResponses });
  const agent = new Agent({ name: "caller", instructions: "Be kind.", model, tools });
  return (await new Runner({ modelProvider }).run(agent, "Hello")).finalOutput;
};

/** Runs LibreChat's agent with the settings that LibreChat sends for a custom endpoint, and returns its text. */
const runLibreChat = async (tools) => {
  const sampling = { temperature: 1, topP: 1, presencePenalty: 0, frequencyPenalty: 0, user: "u1" };
  const llmConfig = { provider: Providers.OPENAI, model, apiKey, configuration: { baseURL }, streaming: true, ...sampling };
  const graphConfig = { type: "standard", instructions: "Be kind.", llmConfig, tools };
  const run = await Run.create({ runId: crypto.randomUUID(), graphConfig, returnContent: true });
  const options = { configurable: { thread_id: "t" }, runId: crypto.randomUUID(), streamMode: "values", version: "v2" };
  const parts = await run.processStream({ messages: [new HumanMessage("Hello")] }, options);
  return parts.map((part) => part.text ?? "").join("");
};

const chat = new ChatOpenAI({ model, apiKey, configuration: { baseURL } });
const calls = {
  "openai: response": async () =>
    (await new OpenAI({ apiKey, baseURL }).responses.create({ model, input: "Hello" })).output_text,
  "@openai/agents: responses": async () => await runAgent(true, []),
  "@openai/agents: chat": async () => await runAgent(false, []),
  "@openai/agents: a tool of its own": async () => await runAgent(true, [getTime]),
  "@langchain/openai: invoke": async () => (await chat.invoke("Hello")).text,
  "@langchain/openai: stream": async () => {
    let text = "";
    for await (const chunk of await chat.stream("Hello")) text += chunk.text;
    return text;
  },
  "@librechat/agents": async () => await runLibreChat([]),
  "@librechat/agents: a tool of its own": async () => {
    const schema = z.object({});
    return await runLibreChat([langChainTool(() => "12:00", { name: "time_of_the_client", description: "Tells the time.", schema })]);
  },
  "@ai-sdk/open-responses": async () => {
    const provider = createOpenResponses({ name: "troupe", url: `${baseURL}/responses`, apiKey });
    return (await generateText({ model: provider(model), prompt: "Hello" })).text;
  },
};

for (const [name, call] of Object.entries(calls)) {
  try {
    const text = await call();
    console.log(JSON.stringify({ name, fault: typeof text === "string" && text !== "" ? undefined : "no text" }));
  } catch (error) {
    console.log(JSON.stringify({ name, fault: String(error?.message ?? error).slice(0, 300) }));
  }
}
