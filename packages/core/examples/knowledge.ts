import assert from "node:assert/strict";
import { Agent, InMemoryVectorStore, KnowledgeBase } from "@troupe/core";
import { FakeEmbeddings, ScriptedModel } from "@troupe/core/testing";

const embeddings = new FakeEmbeddings();
const model = new ScriptedModel(
  { toolCalls: [{ name: "search_handbook", arguments: { query: "days of vacation" } }] },
  "You have 25 days.",
);

// #region readme
const handbook = new KnowledgeBase({ name: "handbook", vectorStore: new InMemoryVectorStore({ embeddings }) });
await handbook.addDocuments([
  { id: "vacation", content: "Everyone has 25 days of vacation a year." },
  { id: "parking", content: "Bicycles are parked in the yard.", metadata: { office: "Oslo" } },
]);

const [best] = await handbook.search("How many vacation days do I have?", { topK: 1 });
const agent = new Agent({ name: "support", model, tools: [handbook.asTool()] });
const { text } = await agent.run("How many vacation days do I have?");
// #endregion

assert.equal(best?.document.id, "vacation");
assert.equal(text, "You have 25 days.");
