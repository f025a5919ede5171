import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { FakeEmbeddings } from "@troupe/core/testing";

const embeddings = new FakeEmbeddings();

// #region readme
import { KnowledgeBase } from "@troupe/core";
import { SqliteVectorStore } from "@troupe/vector-sqlite";

const vectorStore = new SqliteVectorStore("knowledge.db", { embeddings });
const handbook = new KnowledgeBase({ name: "handbook", vectorStore });
await handbook.addDocuments([
  { id: "vacation", content: "Everyone has 25 days of vacation a year.", metadata: { office: "Oslo" } },
  { id: "parking", content: "Bicycles are parked in the yard.", metadata: { office: "Bergen" } },
]);

const [best] = await handbook.search("How many vacation days do I have?", { topK: 1, filter: { office: "Oslo" } });
await handbook.close(); // the documents are there again in the next process
// #endregion

assert.equal(best?.document.id, "vacation");
rmSync("knowledge.db");
