import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { Agent, defineTool, InMemoryStorage } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { ScriptedModel } from "@troupe/core/testing";
import { z } from "zod";

/** A bank that knows a payment by its key, and here forgets to answer the first time. */
const bank = {
  payments: new Map<string, string>(),
  calls: new EventEmitter(),
  async pay(amount: number, { key, signal }: { key: string; signal: AbortSignal }): Promise<string> {
    this.payments.set(key, `receipt for ${amount}`);
    this.calls.emit("pay");
    return await new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("no answer"))));
  },
  async find(key: string): Promise<string | undefined> {
    return await Promise.resolve(this.payments.get(key));
  },
};

// #region readme
const pay = defineTool({
  name: "pay",
  description: "Pays an amount.",
  parameters: z.object({ amount: z.number() }),
  effect: "once", // the default
  execute: async ({ amount }, { idempotencyKey, signal }) => await bank.pay(amount, { key: idempotencyKey, signal }),
  verify: async (key) => {
    const receipt = await bank.find(key);
    return receipt === undefined ? null : { result: receipt };
  },
});
// #endregion

const storage = new InMemoryStorage();
const model = new ScriptedModel({ toolCalls: [{ name: "pay", arguments: { amount: 5 } }] }, "It is paid.");
const agents = { cashier: new Agent({ name: "cashier", model, storage, tools: [pay] }) };

// The first service ends while the bank is about to answer, and the second goes on.
const first = new RunService({ storage, agents });
const paying = once(bank.calls, "pay");
await first.serve();
const { runId } = await first.accept({ kind: "agent", name: "cashier", input: "Pay 5." });
await paying;
await first.close();

const second = new RunService({ storage, agents });
await second.serve();
for await (const { type } of second.events(runId, "host")) if (type === "end") break;
const { output } = await second.get(runId, "host");
const { text, toolCalls } = output as { text: string; toolCalls: { result: string }[] };
assert.equal(text, "It is paid.");
assert.equal(toolCalls[0]?.result, "receipt for 5");
assert.equal(bank.payments.size, 1);
await second.close();
