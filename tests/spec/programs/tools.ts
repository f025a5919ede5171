// Tools: definition, ToolResult, artifacts, cache.
import assert from "node:assert/strict";
import { Agent, defineTool } from "@troupe/core";
import type { Artifact, ToolCacheConfig, ToolDef, ToolResult } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { z } from "zod";

let looked = 0;
const cache: ToolCacheConfig = { ttl: 60_000 };
const weather = defineTool({
  name: "weather",
  description: "Tells the weather in a city.",
  parameters: z.object({ city: z.string(), days: z.number().int().optional() }),
  execute: async ({ city, days }, context) => {
    looked += 1;
    assert.equal(context.agentName, "helper");
    return `Rain in ${city} for ${days ?? 1} day(s).`;
  },
  cache,
});
const chart = defineTool({
  name: "chart",
  description: "Draws a chart.",
  parameters: z.object({}),
  execute: (): ToolResult => {
    const image: Artifact = { type: "image", data: { width: 1 }, mimeType: "image/png" };
    return { content: "A chart was drawn.", artifacts: [image, { type: "note", data: "x" }] };
  },
});
// A tool as a plain object, with a JSON schema.
const plain: ToolDef = {
  name: "plain",
  description: "Says hello.",
  parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  execute: (args) => `Hello ${(args as { name: string }).name}.`,
};

const city = { name: "weather", arguments: { city: "Oslo" } };
const model = new ScriptedModel(
  { toolCalls: [city, { name: "chart" }, { name: "plain", arguments: { name: "Ann" } }] },
  { toolCalls: [city] },
  "Done.",
);
const output = await new Agent({ name: "helper", model, tools: [weather, chart, plain] }).run("Oslo?");
assert.equal(looked, 1);
assert.deepEqual(
  output.toolCalls.map(({ result }) => result),
  ["Rain in Oslo for 1 day(s).", "A chart was drawn.", "Hello Ann.", "Rain in Oslo for 1 day(s)."],
);
assert.deepEqual(
  output.toolCalls[1]?.artifacts?.map(({ type }) => type),
  ["image", "note"],
);
