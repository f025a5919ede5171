import assert from "node:assert/strict";
import { Agent, defineTool, EventBus, getTextContent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { z } from "zod";

const model = new ScriptedModel({ toolCalls: [{ name: "pay", arguments: { amount: 50 } }] }, "Ada has her 50.");
const pay = defineTool({
  name: "pay",
  description: "Pays an amount.",
  parameters: z.object({ amount: z.number() }),
  execute: () => "paid",
});
const seen: string[] = [];

// #region readme
const eventBus = new EventBus();
eventBus.on("tool.result", ({ toolName, result }) => seen.push(`${toolName}: ${getTextContent(result)}`));
eventBus.on("model.result", ({ modelId, usage }) => seen.push(`${modelId}: ${usage?.totalTokens} tokens`));
eventBus.on("run.warning", ({ code, message }) => seen.push(`${code}: ${message}`));
eventBus.on("run.complete", ({ output }) => seen.push(`${output.usage.totalTokens} tokens in all`));

const agent = new Agent({ name: "cashier", model, tools: [pay], eventBus });
await agent.run("Pay 50 to Ada.");
// #endregion

assert.deepEqual(seen, ["scripted-1: 15 tokens", "pay: paid", "scripted-1: 15 tokens", "30 tokens in all"]);
