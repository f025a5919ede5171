import assert from "node:assert/strict";
import { Agent, defineTool, InMemoryStorage } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { ScriptedModel } from "@troupe/core/testing";
import { z } from "zod";

const model = new ScriptedModel(
  { toolCalls: [{ name: "pay", arguments: { amount: 500, to: "Ada" } }] },
  "Ada has 50: 500 was too much.",
);
const paid: string[] = [];
const storage = new InMemoryStorage();
const owner = { userId: "eve" };
let text = "";

const pay = defineTool({
  name: "pay",
  description: "Pays an amount to a person.",
  parameters: z.object({ amount: z.number(), to: z.string() }),
  needsApproval: true,
  execute: ({ amount, to }) => {
    paid.push(`${amount} to ${to}`);
    return "paid";
  },
});

// #region readme
/** Starts a process: with `SqliteStorage` or a database in place of the memory, a new one goes on where another ended. */
async function startService(): Promise<RunService> {
  const cashier = new Agent({ name: "cashier", model, tools: [pay], storage });
  const service = new RunService({ agents: { cashier }, storage });
  await service.serve();
  return service;
}

const first = await startService();
const { runId } = await first.accept({ kind: "agent", name: "cashier", input: "Pay Ada.", owner });
let waitId = "";
for await (const event of first.events(runId, owner)) {
  if (event.type !== "wait") continue;
  // Ask a person about `event.wait.about`: the tool and its arguments.
  waitId = event.wait.id;
  break;
}
await first.close();

const second = await startService();
await second.answer(runId, waitId, { approved: true, args: { amount: 50, to: "Ada" } }, owner);
for await (const event of second.events(runId, owner)) {
  if (event.type === "chunk" && "text" in event.chunk) text += String(event.chunk.text);
}
await second.close();
// #endregion

assert.equal(text, "Ada has 50: 500 was too much.");
assert.deepEqual(paid, ["50 to Ada"]);
