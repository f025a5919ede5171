import assert from "node:assert/strict";
import { TroupeError } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";

const model = new ScriptedModel("Nice to meet you, Ada.");

// Without a server at this address the ping fails, and the error says why.
process.once("uncaughtException", (error) => {
  assert.ok(TroupeError.is(error));
  assert.equal(error.code, "storage_unavailable");
  console.log(error.message);
  process.exit(0);
});

// #region readme
import { Agent } from "@troupe/core";
import { MongoStorage } from "@troupe/storage-mongodb";

const storage = new MongoStorage("mongodb://127.0.0.1:27017/chat?replicaSet=rs0");
await storage.ping(); // optional: fails within a second when the server does not answer

const agent = new Agent({ name: "helper", model, storage });
await agent.run("I am Ada.", { sessionId: "chat-1" });
await storage.close();
// #endregion
