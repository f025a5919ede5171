import assert from "node:assert/strict";
import { InMemoryVectorStore, KnowledgeBase } from "@troupe/core";
import { FakeEmbeddings } from "@troupe/core/testing";

const vectorStore = new InMemoryVectorStore({ embeddings: new FakeEmbeddings() });
const knowledge = new KnowledgeBase({ name: "news", vectorStore });
const database = {
  async *articles() {
    yield { id: "1", updatedAt: "2026-01-01", body: "It rains in Oslo." };
  },
};

// #region readme
async function* articles() {
  for await (const { id, updatedAt, body } of database.articles()) {
    // The body is read only if the hash has changed.
    yield { id, hash: updatedAt, read: () => ({ content: body, metadata: { kind: "article" } }) };
  }
}
const { stored, unchanged } = await knowledge.sync(articles(), { prefix: "articles/" });
// #endregion

assert.deepEqual([stored, unchanged], [1, 0]);
assert.equal((await knowledge.sync(articles(), { prefix: "articles/" })).unchanged, 1);
