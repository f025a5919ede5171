import assert from "node:assert/strict";
import { Agent, defineTool } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { z } from "zod";

const model = new ScriptedModel(
  {
    toolCalls: [
      { name: "pay", arguments: { amount: 500, to: "Ada" } },
      { name: "pay", arguments: { amount: 5, to: "Bob" } },
    ],
  },
  "Bob has his 5. For Ada's 500, ask again on Monday.",
);
const paid: string[] = [];
const asked: string[] = [];
const askOwner = async (question: string): Promise<"yes" | "no"> => {
  asked.push(question);
  return await Promise.resolve("no");
};

// #region readme
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

const agent = new Agent({
  name: "cashier",
  model,
  tools: [pay],
  hooks: {
    onApproval: async (_context, { name, arguments: args }) => {
      const answer = await askOwner(`${name} ${JSON.stringify(args)}?`);
      return { approved: answer === "yes", reason: "The owner said no." };
    },
  },
});
const { text, toolCalls } = await agent.run("Pay 500 to Ada and 5 to Bob.");
// #endregion

assert.deepEqual(paid, ["5 to Bob"]);
assert.deepEqual(asked, ['pay {"amount":500,"to":"Ada"}?']);
assert.equal(toolCalls[0]?.error, "The call of pay was denied: The owner said no.");
assert.match(text, /Monday/);
