import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
// #region readme
import { Agent, defineTool } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import type { ModelProvider } from "@troupe/core";
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
  const runs = new RunService({ storage, agents: { helper } });
  await runs.serve(); // takes up what an earlier process left
  return { runs, storage };
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
const before = await first.runs.accept({
  kind: "agent",
  name: "helper",
  input: "Where is my order 7?",
  idempotencyKey: "mail-4711",
});
await asked;
await first.runs.close();
await first.storage.close();

const model = new ScriptedModel("It is on its way.");
const { runs, storage } = await start(model, file);
const shown: string[] = [];
const print = (line: string) => shown.push(line);

// #region readme
const { runId } = await runs.accept({
  kind: "agent",
  name: "helper",
  input: "Where is my order 7?",
  idempotencyKey: "mail-4711", // the same key is the same run, in any process
});
for await (const event of runs.events(runId, "host")) {
  print(`${event.id} ${event.type}`);
}
const { status, output } = await runs.get(runId, "host");
// #endregion

assert.equal(runId, before.runId);
assert.equal(status, "completed");
assert.equal((output as { text: string }).text, "It is on its way.");
assert.match(shown.at(-1) ?? "", /^\S+ end$/);
assert.equal(lookUps, 1, "The tool is not called again after its result was stored.");
await runs.close();
await storage.close();
rmSync(folder, { recursive: true });
