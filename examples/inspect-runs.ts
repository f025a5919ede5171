import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Agent, InMemoryStorage } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { ScriptedModel } from "@troupe/core/testing";
import { createAgentRouter } from "@troupe/http";
import { createPage } from "@troupe/page";
import express from "express";
import type { Request } from "express";

const storage = new InMemoryStorage();
const agents = { helper: new Agent({ name: "helper", model: new ScriptedModel("Take an umbrella."), storage }) };
const runs = new RunService({ agents, storage });
await runs.serve();
const isOperator = (request: Request): boolean => request.get("authorization") === "Bearer operator";

// #region readme
const app = express();
app.use(createPage({ inspector: { runs, authorize: (request) => isOperator(request) } }));
app.use(createAgentRouter({ agents, runs }));
// #endregion

const server = app.listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
await fetch(`${url}/agents/helper/run`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ input: "What should I take along to Oslo?" }),
});
const asStranger = await fetch(`${url}/inspector/runs`);
const asOperator = await fetch(`${url}/inspector/runs`, { headers: { authorization: "Bearer operator" } });
const body = (await asOperator.json()) as { runs: object[] };
server.closeAllConnections();
server.close();
await runs.close();

assert.ok(asStranger.status === 401 || asStranger.status === 403, `status ${asStranger.status}`);
assert.equal(body.runs.length, 1);
