import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
// #region readme
import { Agent, defineTool } from "@troupe/core";
import type { ModelProvider } from "@troupe/core";
import { createService } from "@troupe/core/service";
import { SqliteStorage } from "@troupe/storage-sqlite";
import { z } from "zod";

/** Runs at each start of the program. */
async function start(model: ModelProvider, file: string) {
  const lookUp = defineTool({
    name: "look_up",
    description: "Looks up an order.",
    parameters: z.object({ order: z.number() }),
    execute: ({ order }) => findOrder(order),
  });
  const storage = new SqliteStorage(file);
  const helper = new Agent({ name: "helper", model, storage, tools: [lookUp] });
  const service = createService({ agents: { helper }, storage, durable: true });
  await service.open(); // takes up what an earlier process left
  return { service, storage };
}
// #endregion
import { ScriptedModel } from "@troupe/core/testing";

let lookUps = 0;
function findOrder(order: number): string {
  lookUps += 1;
  return `Order ${order} has left Oslo.`;
}
const folder = mkdtempSync(join(tmpdir(), "troupe-durable-run-"));
const file = join(folder, "troupe.db");

// The first process is stopped while the model writes its answer.
const calls = new EventEmitter();
const asked = once(calls, "asked");
const slow = new ScriptedModel({ toolCalls: [{ name: "look_up", arguments: { order: 7 } }] }).respond(() => {
  calls.emit("asked");
  return { text: "It is on its way.", delayMs: 600_000 };
});
const first = await start(slow, file);
const before = await first.service.begin({
  agent: "helper",
  input: "Where is my order 7?",
  idempotencyKey: "mail-4711",
});
await asked;
await first.service.close({ graceMs: 0 });
await first.storage.close();

const model = new ScriptedModel("It is on its way.");
const { service, storage } = await start(model, file);
const shown: string[] = [];
const print = (line: string) => shown.push(line);

// #region readme
const run = await service.begin({
  agent: "helper",
  input: "Where is my order 7?",
  idempotencyKey: "mail-4711", // the same key is the same run, in any process
});
for await (const event of run.events()) {
  print(`${event.id} ${event.type}`);
}
const { text } = await run.output;
// #endregion

assert.equal(run.runId, before.runId);
assert.equal(text, "It is on its way.");
assert.equal((await run.view()).attempts, 2);
assert.match(shown.at(-1) ?? "", /^\S+ end$/);
assert.equal(lookUps, 1, "The tool is not called again after its result was stored.");
await service.close();
await storage.close();
rmSync(folder, { recursive: true });
