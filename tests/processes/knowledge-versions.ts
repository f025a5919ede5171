import { KnowledgeBase } from "@troupe/core";
import { FakeEmbeddings } from "@troupe/core/testing";
import { SqliteVectorStore } from "@troupe/vector-sqlite";

/** Opens a knowledge base in an SQLite file that has documents of more than 60 tokens in pieces. */
export function openDocs(file: string): KnowledgeBase {
  const embeddings = new FakeEmbeddings();
  const vectorStore = new SqliteVectorStore(file, { embeddings, durability: "normal", busyTimeoutMs: 60_000 });
  return new KnowledgeBase({ name: "docs", vectorStore, chunking: { size: 60 } });
}

/** Returns the contents that a writer gives to one document in turn: each third one is short, the others have many pieces. */
export function versionsOf(writer: number): string[] {
  return Array.from({ length: 12 }, (_, round) => {
    const sentences = round % 3 === 2 ? 1 : 5 + ((writer * 7 + round * 5) % 20);
    return `Writer ${writer} wrote this in round ${round}. `.repeat(sentences);
  });
}
