import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ScriptedModel } from "@troupe/core/testing";
// #region readme
import { Agent, defineTool } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { createAgentRouter, createShutdown } from "@troupe/http";
import { SqliteStorage } from "@troupe/storage-sqlite";
import express from "express";
import { z } from "zod";
// #endregion

const folder = mkdtempSync(join(tmpdir(), "troupe-serve-durable-"));
const file = join(folder, "troupe.db");
const sealKey = "a secret of at least 32 characters";
const port = 0;
const model = new ScriptedModel(
  { toolCalls: [{ name: "pay", arguments: { amount: 500, to: "Ada" } }] },
  "Ada has her 500.",
);

// #region readme
const storage = new SqliteStorage(file);
const pay = defineTool({
  name: "pay",
  description: "Pays an amount to a person.",
  parameters: z.object({ amount: z.number(), to: z.string() }),
  needsApproval: ({ amount }) => amount > 100,
  execute: ({ amount, to }) => `Paid ${amount} to ${to}.`,
});
const agents = { cashier: new Agent({ name: "cashier", model, storage, tools: [pay] }) };
const runs = new RunService({ storage, agents, sealKeys: [sealKey] });
const shutdown = createShutdown().onSignals();
const server = express().use(createAgentRouter({ agents, runs, shutdown })).listen(port);
shutdown.attach(server);
await runs.serve();
void shutdown.finished.then(() => runs.close()).then(() => storage.close());
// #endregion

if (!server.listening) await once(server, "listening");
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const post = async (path: string, body: object) =>
  await fetch(url + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

type Body = { runId: string; status: string; waits: { waitId: string; kind: string }[]; output: { text: string } };
const waiting = await post("/agents/cashier/run", { input: "Pay 500 to Ada." });
assert.equal(waiting.status, 202);
const { runId, status, waits } = (await waiting.json()) as Body;
assert.deepEqual([status, waits[0]?.kind], ["waiting", "approval"]);

const answer = await post(`/runs/${runId}/answers/${waits[0]?.waitId}`, { approved: true });
assert.equal(answer.ok, true);
await (await fetch(`${url}/runs/${runId}/events`)).text();
const run = (await (await fetch(`${url}/runs/${runId}`)).json()) as Body;
assert.equal(run.output.text, "Ada has her 500.");

await shutdown.begin();
rmSync(folder, { recursive: true });
