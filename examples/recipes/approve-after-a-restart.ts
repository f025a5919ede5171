import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ScriptedModel } from "@troupe/core/testing";
// #region readme
import { Agent, defineTool } from "@troupe/core";
import { createService, serve } from "@troupe/core/service";
import { http } from "@troupe/http";
import { SqliteStorage } from "@troupe/storage-sqlite";
import { z } from "zod";
// #endregion

const folder = mkdtempSync(join(tmpdir(), "troupe-approve-"));
const file = join(folder, "troupe.db");
const port = Number(process.env["PORT"] ?? 0);
const model = new ScriptedModel(
  { toolCalls: [{ name: "pay", arguments: { amount: 500, to: "Ada" } }] },
  "Ada has her 500.",
);
const paid: string[] = [];

// #region readme
const pay = defineTool({
  name: "pay",
  description: "Pays an amount to a person.",
  parameters: z.object({ amount: z.number(), to: z.string() }),
  needsApproval: ({ amount }) => amount > 100,
  execute: ({ amount, to }) => {
    paid.push(`${amount} to ${to}`);
    return `Paid ${amount} to ${to}.`;
  },
});

/** Runs at each start of the program. */
async function start() {
  const storage = new SqliteStorage(file);
  const cashier = new Agent({ name: "cashier", model, tools: [pay], storage });
  const service = createService({ agents: { cashier }, storage, durable: true });
  const { url } = await serve(service, [http()], { port });
  void service.closed.then(() => storage.close());
  return { service, url };
}

const send = async (url: string, body: object) =>
  await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

// Monday: the run asks, and the process ends before anyone has answered.
const first = await start();
const asked = await send(`${first.url}/agents/cashier/run`, { input: "Pay 500 to Ada." });
const { runId, waits } = (await asked.json()) as { runId: string; waits: { waitId: string; about: object }[] };
const [wait] = waits;
console.log(asked.status, wait?.about);
await first.service.close();

// Tuesday: another process takes the answer, and goes on with the run.
const second = await start();
await send(`${second.url}/runs/${runId}/answers/${wait?.waitId}`, { approved: true });
await (await fetch(`${second.url}/runs/${runId}/events`)).text(); // ends with the run
const run = (await (await fetch(`${second.url}/runs/${runId}`)).json()) as { status: string; output: { text: string } };
console.log(run.status, run.output.text);
// #endregion

assert.equal(asked.status, 202);
assert.equal(run.output.text, "Ada has her 500.");
assert.deepEqual(paid, ["500 to Ada"]);
await second.service.close();
rmSync(folder, { recursive: true });
