import { ChatOpenAI } from "@langchain/openai";
import { createAgent, tool } from "langchain";
import { z } from "zod";
import { answerKinds, input, instructions, versionOf, weather } from "./kinds.mjs";

const configuration = { baseURL: process.argv[2] };
const model = new ChatOpenAI({ model: "gpt-6.1-sol", apiKey: "none", configuration, useResponsesApi: false });
const tools = [tool(({ city }) => `Rain in ${city}.`, { ...weather, schema: z.object({ city: z.string() }) })];
const plain = createAgent({ model, systemPrompt: instructions });
const withTool = createAgent({ model, systemPrompt: instructions, tools });
const messages = [{ role: "user", content: input }];

answerKinds(`${versionOf("langchain")} on LangGraph ${versionOf("@langchain/langgraph")}`, {
  run: async () => (await plain.invoke({ messages })).messages.at(-1).text,
  // The vendor of the bench gives all answers one id, so that the last one stands in the place of the first.
  tool: async () => (await withTool.invoke({ messages })).messages.findLast(({ type }) => type === "ai").text,
  stream: async () => {
    let all = "";
    for await (const [message] of await plain.stream({ messages }, { streamMode: "messages" })) all += message.text;
    return all;
  },
});
