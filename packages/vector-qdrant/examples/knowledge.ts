import assert from "node:assert/strict";
import { TroupeError } from "@troupe/core";
import { FakeEmbeddings, ScriptedModel } from "@troupe/core/testing";

const embeddings = new FakeEmbeddings();
const model = new ScriptedModel(
  { toolCalls: [{ name: "search_handbook", arguments: { query: "days of vacation" } }] },
  "You have 25 days.",
);

// Without a server at this address the first call fails, and the error says why.
process.once("uncaughtException", (error) => {
  assert.ok(TroupeError.is(error));
  assert.equal(error.code, "storage_unavailable");
  console.log(error.message);
  process.exit(0);
});

// #region readme
import { Agent, KnowledgeBase } from "@troupe/core";
import { QdrantVectorStore } from "@troupe/vector-qdrant";

const vectorStore = new QdrantVectorStore({ url: "http://127.0.0.1:6333", embeddings });
const handbook = new KnowledgeBase({ name: "handbook", vectorStore });
await handbook.initialize(); // optional: shows now if the server does not answer
await handbook.addDocuments([
  { id: "vacation", content: "Everyone has 25 days of vacation a year." },
  { id: "parking", content: "Bicycles are parked in the yard.", metadata: { office: "Oslo" } },
]);

const agent = new Agent({ name: "support", model, tools: [handbook.asTool()] });
await agent.run("How many vacation days do I have?");
await handbook.close();
// #endregion
