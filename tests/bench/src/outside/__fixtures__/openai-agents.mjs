import { Agent, OpenAIChatCompletionsModel, run, setTracingDisabled, tool } from "@openai/agents";
import OpenAI from "openai";
import { z } from "zod";
import { answerKinds, input, instructions, versionOf, weather } from "./kinds.mjs";

setTracingDisabled(true);
const client = new OpenAI({ baseURL: process.argv[2], apiKey: "none" });
const model = new OpenAIChatCompletionsModel(client, "gpt-6.1-sol");
const parameters = z.object({ city: z.string() });
const tools = [tool({ ...weather, parameters, execute: ({ city }) => `Rain in ${city}.` })];
const plain = new Agent({ name: "plain", model, instructions });
const withTool = new Agent({ name: "with-tool", model, instructions, tools });

answerKinds(versionOf("@openai/agents"), {
  run: async () => (await run(plain, input)).finalOutput,
  tool: async () => (await run(withTool, input)).finalOutput,
  stream: async () => {
    let all = "";
    const result = await run(plain, input, { stream: true });
    for await (const text of result.toTextStream()) all += text;
    await result.completed;
    return all;
  },
});
