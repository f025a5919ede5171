import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";
import { answerKinds, input, instructions, versionOf, weather } from "./kinds.mjs";

const model = { id: "vendor/gpt-6.1-sol", url: process.argv[2], apiKey: "none" };
const { name, description } = weather;
const inputSchema = z.object({ city: z.string() });
const tool = createTool({ id: name, description, inputSchema, execute: async ({ city }) => `Rain in ${city}.` });
const plain = new Agent({ id: "plain", name: "plain", model, instructions });
const withTool = new Agent({ id: "with-tool", name: "with-tool", model, instructions, tools: { [name]: tool } });
new Mastra({ agents: { plain, withTool }, logger: false });

answerKinds(versionOf("@mastra/core"), {
  run: async () => (await plain.generate(input)).text,
  tool: async () => (await withTool.generate(input)).text,
  stream: async () => {
    let all = "";
    for await (const text of (await plain.stream(input)).textStream) all += text;
    return all;
  },
});
