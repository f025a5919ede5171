import assert from "node:assert/strict";
import { Agent, createLogger, EventBus } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";

const model = new ScriptedModel("Take an umbrella.");
const lines: string[] = [];
const tokens = new Map<string, number>();
const warnings: string[] = [];

// #region readme
const eventBus = new EventBus();
eventBus.on("model.result", ({ modelId, usage }) => {
  tokens.set(modelId, (tokens.get(modelId) ?? 0) + (usage?.totalTokens ?? 0));
});
eventBus.on("run.warning", ({ code, message }) => warnings.push(`${code}: ${message}`));

const logger = createLogger({ level: "info", write: (line) => lines.push(line) });
const agent = new Agent({ name: "helper", model, eventBus, logger });
await agent.run("What should I take along to Oslo?");
// #endregion

assert.equal(lines.length, 1);
assert.equal(tokens.get("scripted-1"), 15);
assert.deepEqual(warnings, []);
