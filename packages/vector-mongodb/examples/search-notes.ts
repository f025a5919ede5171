import assert from "node:assert/strict";
import { TroupeError } from "@troupe/core";
import { FakeEmbeddings, ScriptedModel } from "@troupe/core/testing";

const embeddings = new FakeEmbeddings();
const search = { toolCalls: [{ name: "search_notes", arguments: { query: "opening hours" } }] };
const model = new ScriptedModel(search, "At nine.");

// Without a server at this address the first call fails, and the error says why.
process.once("uncaughtException", (error) => {
  assert.ok(TroupeError.is(error));
  assert.equal(error.code, "storage_unavailable");
  console.log(error.message);
  process.exit(0);
});

// #region readme
import { Agent, KnowledgeBase } from "@troupe/core";
import { MongoDbVectorStore } from "@troupe/vector-mongodb";

const vectorStore = new MongoDbVectorStore("mongodb://127.0.0.1:27017/app?replicaSet=rs0", { embeddings });
const notes = new KnowledgeBase({ name: "notes", vectorStore });
await notes.add({ id: "hours", content: "The shop opens at nine.", metadata: { of: "shop" } });

const agent = new Agent({ name: "helper", model, tools: [notes.asTool()] });
const { text } = await agent.run("When does the shop open?");
await notes.close();
// #endregion
assert.equal(text, "At nine.");
