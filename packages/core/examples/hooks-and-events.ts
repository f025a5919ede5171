import assert from "node:assert/strict";
import { Agent, defineTool, getTextContent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { z } from "zod";

const model = new ScriptedModel({ toolCalls: [{ name: "pay", arguments: { amount: 500 } }] }, "That is too much.");
const pay = defineTool({
  name: "pay",
  description: "Pays an amount.",
  parameters: z.object({ amount: z.number() }),
  execute: () => "paid",
});
const seen: string[] = [];

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

agent.eventBus.on("tool.result", ({ toolName, result }) => seen.push(`${toolName}: ${getTextContent(result)}`));
agent.eventBus.on("run.complete", ({ output }) => seen.push(`${output.usage.totalTokens} tokens`));
await agent.run("Pay 500 to Ada.");
// #endregion

assert.match(seen[0] ?? "", /^pay: .*need a person/);
assert.equal(seen[1], "30 tokens");
