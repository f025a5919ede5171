import assert from "node:assert/strict";
import { startVendor } from "./offline/vendor.ts";
// #region readme
import { Agent, defineTool, InMemoryStorage, Workflow } from "@troupe/core";
import { createService } from "@troupe/core/service";
import { openai } from "@troupe/providers-openai";
import { z } from "zod";
// #endregion

const answers = [{ tool: "weather", args: { city: "Oslo" } }, "Oslo: bring an umbrella."] as const;
const { baseURL, asked, close } = await startVendor(...answers);
const apiKey = "example";
const published: string[] = [];

// #region readme
const weather = defineTool({
  name: "weather",
  description: "Tells the weather in a city.",
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => `Rain in ${city}.`,
});
const writer = new Agent({
  name: "writer",
  model: openai("gpt-6.1-sol", { baseURL, apiKey }),
  instructions: "Write a slogan for the city.",
  tools: [weather],
});

const slogan = new Workflow({
  name: "slogan",
  initialState: { city: "", draft: "" },
  steps: (flow) =>
    flow
      .step({ name: "draft", agent: writer, inputFrom: ({ city }) => city })
      .ask({
        name: "approval",
        ask: ({ draft }) => `Publish "${draft}"?`,
        schema: z.object({ approved: z.boolean() }),
      })
      .step({
        name: "publish",
        effect: "once", // a person is asked if the process dies in the middle
        run: ({ draft, approval }) => {
          if (approval.approved) published.push(draft);
        },
      }),
});
const service = createService({ workflows: { slogan }, storage: new InMemoryStorage(), durable: true });

const run = await service.begin({ workflow: "slogan", input: { city: "Oslo" } });
const { waiting } = await run.settled();
console.log(waiting?.status);
for (const { id } of waiting?.waits ?? []) await run.answer(id, { result: { approved: true } });
const { status } = await run.output;
console.log(status, published);
// #endregion

assert.deepEqual([waiting?.status, status], ["waiting", "completed"]);
assert.deepEqual(published, ["Oslo: bring an umbrella."]);
assert.equal(asked.length, 2);
await service.close();
close();
