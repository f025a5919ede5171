import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createAgentRouter } from "@troupe/http";
import express from "express";

const plans: unknown[] = [];
const helper = new Agent({
  name: "helper",
  model: new ScriptedModel().respond(() => "Take an umbrella."),
  hooks: { beforeRun: ({ metadata }) => void plans.push(metadata["plan"]) },
});

// #region readme
const router = createAgentRouter({
  agents: { helper },
  runOptions: (request) => ({
    metadata: { plan: request.headers.get("x-plan") ?? "free" },
    limits: { totalTokens: 20_000 },
    modelOptions: { maxTokens: 500 },
  }),
});
// #endregion

const server = express().use(router).listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;

const response = await fetch(`http://127.0.0.1:${port}/agents/helper/run`, {
  method: "POST",
  headers: { "content-type": "application/json", "x-plan": "gold" },
  body: JSON.stringify({ input: "What should I take along to Oslo?" }),
});
assert.equal(response.status, 200);
assert.deepEqual(plans, ["gold"]);

server.closeAllConnections();
server.close();
