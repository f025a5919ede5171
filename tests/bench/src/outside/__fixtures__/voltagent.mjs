import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent, createTool } from "@voltagent/core";
import { z } from "zod";
import { answerKinds, input, instructions, versionOf, weather } from "./kinds.mjs";

const model = createOpenAICompatible({ name: "vendor", baseURL: process.argv[2], apiKey: "none" })("gpt-6.1-sol");
const parameters = z.object({ city: z.string() });
const tool = createTool({ ...weather, parameters, execute: async ({ city }) => `Rain in ${city}.` });
const plain = new Agent({ name: "plain", model, instructions, memory: false });
const withTool = new Agent({ name: "with-tool", model, instructions, memory: false, tools: [tool] });

answerKinds(versionOf("@voltagent/core"), {
  run: async () => (await plain.generateText(input)).text,
  tool: async () => (await withTool.generateText(input)).text,
  stream: async () => {
    let all = "";
    for await (const text of (await plain.streamText(input)).textStream) all += text;
    return all;
  },
});
