import assert from "node:assert/strict";
import { ScriptedModel } from "@troupe/core/testing";
import { McpToolServer } from "@troupe/mcp";

const model = new ScriptedModel("Berlin.");
const port = 0;

// #region readme
import { Agent } from "@troupe/core";
import { createService, serve } from "@troupe/core/service";
import { mcp } from "@troupe/mcp";

const guide = new Agent({ name: "guide", description: "Knows the capitals of all countries.", model });
const service = createService({ agents: { guide }, allowedHosts: ["127.0.0.1"] });
const { url } = await serve(service, [mcp()], { port }); // at /mcp; over stdio instead: await mcp().serveStdio(service)
// #endregion

const tools = new McpToolServer({
  name: "travel",
  transport: "http",
  url: `http://127.0.0.1:${new URL(url).port}/mcp`,
});
const caller = new Agent({
  name: "caller",
  tools: [tools],
  model: new ScriptedModel(
    { toolCalls: [{ name: "travel__ask_guide", arguments: { message: "What is the capital of Germany?" } }] },
    "It is Berlin.",
  ),
});
const { toolCalls } = await caller.run("Ask the guide for the capital of Germany.");
assert.equal(toolCalls[0]?.result, "Berlin.");

await caller.close();
await service.close();
