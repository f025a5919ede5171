import assert from "node:assert/strict";
import { Agent, InMemoryVectorStore, KnowledgeBase } from "@troupe/core";
import { FakeEmbeddings, ScriptedModel } from "@troupe/core/testing";

const vectorStore = new InMemoryVectorStore({ embeddings: new FakeEmbeddings() });
const model = new ScriptedModel(
  { toolCalls: [{ name: "search_handbook", arguments: { query: "days of vacation" } }] },
  "You have 25 days [1], and a bonus [7].",
);

// #region readme
const handbook = new KnowledgeBase({ name: "handbook", vectorStore });
await handbook.addDocuments([
  {
    id: "vacation",
    content: "Everyone has 25 days of vacation a year.",
    metadata: { title: "Vacation", url: "https://wiki.example.com/vacation", tenant: "acme" },
  },
]);

const search = handbook.asTool({ cite: true, filter: ({ tenantId = null }) => ({ tenant: tenantId }) });
const agent = new Agent({ name: "support", model, tools: [search] });
const { text, sources } = await agent.run("How many days?", { userId: "ann", tenantId: "acme" });
// #endregion

assert.equal(text, "You have 25 days [1], and a bonus.");
assert.equal(sources?.[0]?.url, "https://wiki.example.com/vacation");
assert.equal(sources[0].passage, "Everyone has 25 days of vacation a year.");
