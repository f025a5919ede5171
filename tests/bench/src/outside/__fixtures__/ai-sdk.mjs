import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { isStepCount, tool, ToolLoopAgent } from "ai";
import { z } from "zod";
import { answerKinds, input, instructions, versionOf, weather } from "./kinds.mjs";

const model = createOpenAICompatible({ name: "vendor", baseURL: process.argv[2], apiKey: "none" })("gpt-6.1-sol");
const { name, description } = weather;
const inputSchema = z.object({ city: z.string() });
const tools = { [name]: tool({ description, inputSchema, execute: ({ city }) => `Rain in ${city}.` }) };
const plain = new ToolLoopAgent({ model, instructions });
const withTool = new ToolLoopAgent({ model, instructions, tools, stopWhen: isStepCount(5) });

answerKinds(versionOf("ai"), {
  run: async () => (await plain.generate({ prompt: input })).text,
  tool: async () => (await withTool.generate({ prompt: input })).text,
  stream: async () => {
    let all = "";
    for await (const text of (await plain.stream({ prompt: input })).textStream) all += text;
    return all;
  },
});
