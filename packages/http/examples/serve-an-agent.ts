import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createAgentRouter } from "@troupe/http";
import express from "express";

// Stands for a vendor's model, which @troupe/providers-openai and its sisters have.
const model = new ScriptedModel("Take an umbrella.");
const helper = new Agent({ name: "helper", model, description: "Knows the weather." });

const server = createServer(express().use("/api", createAgentRouter({ agents: { helper } })));
await once(server.listen(0, "127.0.0.1"), "listening");
const { port } = server.address() as AddressInfo;

const response = await fetch(`http://127.0.0.1:${port}/api/agents/helper/run`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ input: "What should I take along to Oslo?" }),
});
const { text, usage } = (await response.json()) as { text: string; usage: { totalTokens: number } };

console.log(`${response.status}: ${text} (${usage.totalTokens} tokens)`);
server.closeAllConnections();
server.close();
