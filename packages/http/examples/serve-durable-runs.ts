import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Agent, defineTool, InMemoryStorage } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { ScriptedModel } from "@troupe/core/testing";
import { createAgentRouter, createShutdown } from "@troupe/http";
import express from "express";
import type { Request } from "express";

// For runs that survive the process: SqliteStorage of @troupe/storage-sqlite.
const storage = new InMemoryStorage();
const paid: unknown[] = [];
const pay = defineTool({
  name: "pay",
  description: "Pays a bill.",
  parameters: { type: "object", properties: { amount: { type: "number" } } },
  needsApproval: true,
  execute: (args) => {
    paid.push(args);
    return "Paid.";
  },
});
const model = new ScriptedModel({ toolCalls: [{ name: "pay", arguments: { amount: 20 } }] }, "It is paid.");
const helper = new Agent({ name: "helper", model, tools: [pay], storage });
const isBoss = (request: Request): boolean => request.get("authorization") === "Bearer boss";

// #region readme
const runs = new RunService({ agents: { helper }, storage });
await runs.serve();
const shutdown = createShutdown().onSignals();
const mayAnswer = (request: Request) => isBoss(request);
const app = express().use(createAgentRouter({ agents: { helper }, runs, mayAnswer, shutdown }));
void shutdown.finished.then(() => runs.close()).then(() => storage.close());
// #endregion

const server = app.listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const post = async (path: string, body: object, headers: Record<string, string> = {}) =>
  await fetch(url + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

const accepted = await post("/agents/helper/run", { input: "Pay the bill." }, { "idempotency-key": "b51f" });
const { runId, waits } = (await accepted.json()) as { runId: string; waits: { waitId: string }[] };
assert.equal(accepted.status, 202);

const answered = await post(`/runs/${runId}/answers/${waits[0]?.waitId}`, { approved: true });
assert.equal(answered.status, 204);

const again = await post("/agents/helper/run", { input: "Pay the bill." }, { "idempotency-key": "b51f" });
assert.equal(((await again.json()) as { text: string }).text, "It is paid.");
assert.deepEqual(paid, [{ amount: 20 }]);

server.close();
server.closeAllConnections();
await shutdown.begin();
