// Talks to the agent `model` at `baseURL` with each client, and prints a line for each: its name, and what went wrong.
import { createOpenResponses } from "@ai-sdk/open-responses";
import { ChatOpenAI } from "@langchain/openai";
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
