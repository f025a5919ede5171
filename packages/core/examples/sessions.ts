import assert from "node:assert/strict";
import { Agent, InMemoryStorage } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";

const model = new ScriptedModel("Nice to meet you, Ada.", "You are Ada.");

// #region readme
const agent = new Agent({ name: "helper", model, storage: new InMemoryStorage(), numHistoryRuns: 20 });

await agent.run("I am Ada.", { sessionId: "chat-1", userId: "ada" });
const { text } = await agent.run("Who am I?", { sessionId: "chat-1", userId: "ada" });

const owner = { userId: "ada" };
const { turns } = await agent.sessions.readTurns("chat-1", { owner });
await agent.sessions.deleteSession("chat-1", { owner });
// #endregion

assert.equal(text, "You are Ada.");
assert.equal(turns.length, 2);
