import { readFileSync } from "node:fs";
import { Agent, defineTool } from "@troupe/core";
import { openai } from "@troupe/providers-openai";
import { z } from "zod";
import { answerKinds, input, instructions, weather } from "./kinds.mjs";

const { version } = JSON.parse(readFileSync(new URL("../../../../../packages/core/package.json", import.meta.url)));
const model = openai("gpt-6.1-sol", { baseURL: process.argv[2], apiKey: "none" });
const parameters = z.object({ city: z.string() });
const tool = defineTool({ ...weather, parameters, execute: ({ city }) => `Rain in ${city}.` });
const plain = new Agent({ name: "plain", model, instructions });
const withTool = new Agent({ name: "with-tool", model, instructions, tools: [tool] });

answerKinds(version, {
  run: async () => (await plain.run(input)).text,
  tool: async () => (await withTool.run(input)).text,
  stream: async () => {
    let all = "";
    for await (const text of plain.stream(input).textStream) all += text;
    return all;
  },
});
