import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ScriptedModel } from "@troupe/core/testing";
// #region readme
import { Agent, defineTool } from "@troupe/core";
import { closeOnSignals, createService, serve } from "@troupe/core/service";
import { http } from "@troupe/http";
import { SqliteStorage } from "@troupe/storage-sqlite";
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
const service = createService({ agents, storage, durable: { sealKeys: [sealKey] } });
const { url } = await serve(service, [http()], { port });
closeOnSignals(service);
void service.closed.then(() => storage.close());
// #endregion

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

await service.close();
rmSync(folder, { recursive: true });
