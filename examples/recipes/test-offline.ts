// #region readme
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, defineTool } from "@troupe/core";
import { createHandler, createService } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { http } from "@troupe/http";
import { z } from "zod";

const weather = defineTool({
  name: "weather",
  description: "Tells the weather in a city.",
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => `rain in ${city}`,
});

/** Makes the agent as the program does, with the model of a test. */
const createHelper = (model: ScriptedModel) => new Agent({ name: "helper", model, tools: [weather] });

await test("gives the model the weather of the city that it asks for", async () => {
  const model = new ScriptedModel({ toolCalls: [{ name: "weather", arguments: { city: "Oslo" } }] }, "An umbrella.");

  const { text } = await createHelper(model).run("What should I take along to Oslo?");

  assert.equal(text, "An umbrella.");
  assert.equal(model.calls[1]?.messages.at(-1)?.content, "rain in Oslo");
  model.assertDone();
});

await test("tells the model about arguments that the tool does not take", async () => {
  const model = new ScriptedModel({ toolCalls: [{ name: "weather", arguments: { town: "Oslo" } }] }, "I do not know.");

  const { toolCalls } = await createHelper(model).run("Oslo?");

  assert.match(String(toolCalls[0]?.error), /city/);
});

await test("answers over HTTP, without a port", async () => {
  const service = createService({ agents: { helper: createHelper(new ScriptedModel("An umbrella.")) } });
  const handler = createHandler(service, [http()]);

  const response = await handler(
    new Request("http://test/agents/helper/run", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ input: "Oslo?" }),
    }),
  );

  assert.equal(response.status, 200);
  assert.equal(((await response.json()) as { text: string }).text, "An umbrella.");
  await service.close();
});
// #endregion
