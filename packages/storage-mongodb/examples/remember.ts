import { Agent, TroupeError } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { MongoStorage } from "@troupe/storage-mongodb";

// Stands for a vendor's model, which @troupe/providers-openai and its sisters have.
const model = new ScriptedModel("Nice to meet you, Ada.");

// Nobody listens there, so that this runs without a server: name yours, which must be a replica set.
const storage = new MongoStorage("mongodb://127.0.0.1:9/chat?replicaSet=rs0");
const agent = new Agent({ name: "helper", model, storage });

try {
  await storage.ping();
  const { text } = await agent.run("I am Ada.", { sessionId: "ada" });
  console.log(text);
} catch (error) {
  if (TroupeError.is(error)) console.log(`${error.code}: ${error.message}`);
}
await storage.close();
