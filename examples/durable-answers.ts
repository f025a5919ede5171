import assert from "node:assert/strict";
import { Agent, defineTool, InMemoryStorage } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { ScriptedModel } from "@troupe/core/testing";
import { z } from "zod";

const storage = new InMemoryStorage();
const paid: string[] = [];
const payment = { name: "pay", arguments: { amount: 500, to: "Ada" } };
const model = new ScriptedModel({ toolCalls: [payment, { name: "locate", arguments: {} }] }, "Ada has 400, in Oslo.");

const pay = defineTool({
  name: "pay",
  description: "Pays an amount to a person.",
  parameters: z.object({ amount: z.number(), to: z.string() }),
  needsApproval: ({ amount }) => amount > 100,
  execute: ({ amount, to }) => {
    paid.push(`${amount} to ${to}`);
    return "paid";
  },
});
// #region readme
const locate = defineTool({
  name: "locate",
  description: "Tells in which city the user is.",
  parameters: z.object({}), // and no execute: the client knows
});
const cashier = new Agent({ name: "cashier", model, storage, tools: [pay, locate] });
const runs = new RunService({ storage, agents: { cashier } });
await runs.serve();

const { runId } = await runs.accept({ kind: "agent", name: "cashier", input: "Pay 500 to Ada, where I am." });
for await (const event of runs.events(runId, "host")) {
  if (event.type !== "wait") continue;
  const { id, kind } = event.wait;
  if (kind === "approval") await runs.answer(runId, id, { approved: true, args: { amount: 400, to: "Ada" } }, "host");
  if (kind === "input") await runs.answer(runId, id, { result: "Oslo" }, "host");
}
// #endregion

assert.deepEqual(paid, ["400 to Ada"]);
const { status, output } = await runs.get(runId, "host");
assert.equal(status, "completed");
assert.equal((output as { text: string }).text, "Ada has 400, in Oslo.");
await runs.close();
