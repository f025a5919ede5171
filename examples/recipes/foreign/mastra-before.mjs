import assert from "node:assert/strict";
import { startVendor } from "../offline/vendor.ts";
// #region readme
import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import { InMemoryStore } from "@mastra/core/storage";
import { createTool } from "@mastra/core/tools";
import { createStep, createWorkflow } from "@mastra/core/workflows";
import { z } from "zod";
// #endregion

const answers = [{ tool: "weather", args: { city: "Oslo" } }, "Oslo: bring an umbrella."];
const { baseURL: url, asked, close } = await startVendor(...answers);
const apiKey = "example";
const published = [];

// #region readme
const weather = createTool({
  id: "weather",
  description: "Tells the weather in a city.",
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `Rain in ${city}.`,
});
const writer = new Agent({
  id: "writer",
  name: "writer",
  model: { id: "vendor/gpt-6.1-sol", url, apiKey },
  instructions: "Write a slogan for the city.",
  tools: { weather },
});

const draft = createStep({
  id: "draft",
  inputSchema: z.object({ city: z.string() }),
  outputSchema: z.object({ slogan: z.string() }),
  execute: async ({ inputData, mastra }) => {
    const { text } = await mastra.getAgent("writer").generate(inputData.city);
    return { slogan: text };
  },
});
const approve = createStep({
  id: "approve",
  inputSchema: z.object({ slogan: z.string() }),
  outputSchema: z.object({ slogan: z.string() }),
  suspendSchema: z.object({ question: z.string() }),
  resumeSchema: z.object({ approved: z.boolean() }),
  execute: async ({ inputData, resumeData, suspend }) => {
    if (resumeData === undefined) return await suspend({ question: `Publish "${inputData.slogan}"?` });
    if (resumeData.approved) published.push(inputData.slogan);
    return inputData;
  },
});
const slogan = createWorkflow({
  id: "slogan",
  inputSchema: z.object({ city: z.string() }),
  outputSchema: z.object({ slogan: z.string() }),
})
  .then(draft)
  .then(approve)
  .commit();
const mastra = new Mastra({ agents: { writer }, workflows: { slogan }, storage: new InMemoryStore(), logger: false });

const run = await mastra.getWorkflow("slogan").createRun();
const { status } = await run.start({ inputData: { city: "Oslo" } });
console.log(status);
const { status: end } = await run.resume({ step: "approve", resumeData: { approved: true } });
console.log(end, published);
// #endregion

assert.deepEqual([status, end], ["suspended", "success"]);
assert.deepEqual(published, ["Oslo: bring an umbrella."]);
assert.equal(asked.length, 2);
close();
