// Syncs the documents of a version into an SQLite file. Sends `step` before each call of the embeddings and behind each
// document, so that its parent can kill it there.
import { KnowledgeBase } from "@troupe/core";
import { FakeEmbeddings } from "@troupe/core/testing";
import { SqliteVectorStore } from "@troupe/vector-sqlite";
import { documentsOf } from "./sync-versions.ts";

const [file = "", version = "0"] = process.argv.slice(2);

class TellingEmbeddings extends FakeEmbeddings {
  override async embedBatch(...args: Parameters<FakeEmbeddings["embedBatch"]>) {
    process.send?.("step");
    return await super.embedBatch(...args);
  }
}

const vectorStore = new SqliteVectorStore(file, { embeddings: new TellingEmbeddings(), durability: "normal" });
const knowledge = new KnowledgeBase({ name: "docs", vectorStore, chunking: { size: 40 } });
await knowledge.sync(documentsOf(Number(version)), {
  concurrency: 3,
  onProgress: () => void process.send?.("step"),
});
await knowledge.close();
process.disconnect();
