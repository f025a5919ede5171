import assert from "node:assert/strict";
import { InMemoryVectorStore, KnowledgeBase } from "@troupe/core";
import { FakeEmbeddings } from "@troupe/core/testing";

const embeddings = new FakeEmbeddings();
const text = `${"Bicycles are parked in the yard. ".repeat(50)}\n\nEveryone has 25 days of vacation a year.`;

// #region readme
const handbook = new KnowledgeBase({
  name: "handbook",
  vectorStore: new InMemoryVectorStore({ embeddings }),
  chunking: { size: 200, overlap: 20 },
  rerank: (_query, results) => results.toSorted((one, other) => (other.score ?? 0) - (one.score ?? 0)), // or ask a reranking service
});
await handbook.addDocuments([{ id: "handbook.md", content: text, metadata: { office: "Oslo" } }]);

const [best] = await handbook.search("days of vacation a year", { topK: 3, filter: { office: "Oslo" } });
const { documentId, start, end } = best?.document.metadata ?? {}; // the place of the piece in the document
// #endregion

assert.equal(documentId, "handbook.md");
assert.match(text.slice(Number(start), Number(end)), /25 days/);
assert.match(best?.document.id ?? "", /^handbook\.md#\d+$/);
