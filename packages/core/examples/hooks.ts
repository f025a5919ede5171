import assert from "node:assert/strict";
import { Agent, defineTool } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { z } from "zod";

const model = new ScriptedModel({ toolCalls: [{ name: "pay", arguments: { amount: 500 } }] }, "That is too much.");
const paid: number[] = [];
const pay = defineTool({
  name: "pay",
  description: "Pays an amount.",
  parameters: z.object({ amount: z.number() }),
  execute: ({ amount }) => {
    paid.push(amount);
    return "paid";
  },
});

// #region readme
const agent = new Agent({
  name: "cashier",
  model,
  tools: [pay],
  hooks: {
    onToolCall: (_context, { name, arguments: args }) =>
      name === "pay" && Number(args["amount"]) > 100 ? { deny: "Payments above 100 need a person." } : undefined,
    onError: (context, error) => context.logger.error("The run failed.", { code: error.code }),
  },
});
const { text, toolCalls } = await agent.run("Pay 500 to Ada.");
// #endregion

assert.deepEqual(paid, []);
assert.match(String(toolCalls[0]?.error), /need a person/);
assert.equal(text, "That is too much.");
