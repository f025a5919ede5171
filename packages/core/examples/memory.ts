import assert from "node:assert/strict";
import { Agent, Memory } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";

const model = new ScriptedModel("Noted.", "They talked about a trip to Oslo.", "Noted.", "To Oslo, in May.");

// #region readme
const memory = new Memory({ maxShortTermMessages: 2, enableLongTerm: true });
const agent = new Agent({ name: "planner", model, memory });

await agent.run("I plan a trip to Oslo.", { sessionId: "trip" });
await agent.run("It will be in May.", { sessionId: "trip" });

const recent = await memory.getMessages("trip"); // the newest messages
const summaries = await memory.getSummaries("trip"); // older ones, summarized by the model
// #endregion

assert.equal(recent.length, 2);
assert.equal(summaries.length, 1);
