import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { ScriptedModel } from "@troupe/core/testing";

const model = new ScriptedModel("Nice to meet you, Ada.", "You are Ada.");

// #region readme
import { Agent } from "@troupe/core";
import { SqliteStorage } from "@troupe/storage-sqlite";

const storage = new SqliteStorage("chat.db");
const agent = new Agent({ name: "helper", model, storage });

await agent.run("I am Ada.", { sessionId: "chat-1" });
const { text } = await agent.run("Who am I?", { sessionId: "chat-1" }); // works in another process, too
await storage.close();
// #endregion

assert.equal(text, "You are Ada.");
assert.equal(model.calls[1]?.messages.length, 3);
rmSync("chat.db");
