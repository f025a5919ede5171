import assert from "node:assert/strict";
import { TroupeError } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";

const model = new ScriptedModel("Nice to meet you, Ada.");

// Without a server at this address the run fails, and the error says why.
process.once("uncaughtException", (error) => {
  assert.ok(TroupeError.is(error));
  assert.equal(error.code, "storage_unavailable");
  console.log(error.message);
});

// #region readme
import { Agent } from "@troupe/core";
import { PostgresStorage } from "@troupe/storage-postgres";

const storage = new PostgresStorage("postgres://app:secret@127.0.0.1:5432/app");
const agent = new Agent({ name: "helper", model, storage });

await agent.run("I am Ada.", { sessionId: "chat-1" });
await storage.close();
// #endregion
