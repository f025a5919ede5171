import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { ScriptedModel } from "@troupe/core/testing";
import { McpToolServer } from "@troupe/mcp";

const model = new ScriptedModel("Berlin.");
const port = 0;

// #region readme
import { Agent } from "@troupe/core";
import { createMcpServer } from "@troupe/mcp";
import express from "express";

const guide = new Agent({ name: "guide", description: "Knows the capitals of all countries.", model });
const server = createMcpServer({ agents: { guide }, allowedHosts: ["127.0.0.1"] });
const app = express();
app.use("/mcp", server.handler); // over stdio instead: await server.serveStdio()
// #endregion
const listener = app.listen(port, "127.0.0.1");

await once(listener, "listening");
const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`;
const tools = new McpToolServer({ name: "travel", transport: "http", url });
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
await server.close();
listener.close();
