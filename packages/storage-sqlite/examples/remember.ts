import { rmSync } from "node:fs";
import { Agent, getTextContent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { SqliteStorage } from "@troupe/storage-sqlite";

// Stands for a vendor's model, which @troupe/providers-openai and its sisters have.
const model = new ScriptedModel("Nice to meet you, Ada.", "You are Ada.");

const storage = new SqliteStorage("chat.db");
const agent = new Agent({ name: "helper", model, storage });
await agent.run("I am Ada.", { sessionId: "ada" });
await storage.close();

// As if the program had been started again: all that is left of the session is in the file.
const reopened = new SqliteStorage("chat.db");
const again = new Agent({ name: "helper", model, storage: reopened });
const { text } = await again.run("Who am I?", { sessionId: "ada" });
await reopened.close();

for (const { role, content } of model.calls[1]?.messages ?? []) console.log(`${role}: ${getTextContent(content)}`);
console.log(`assistant: ${text}`);
rmSync("chat.db");
