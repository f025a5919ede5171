import { FakeEmbeddings } from "../../testing/fake-embeddings.ts";
import { KnowledgeBase } from "../knowledge-base.ts";
import type { KnowledgeBaseConfig } from "../knowledge-base-config.ts";
import type { SyncDocument } from "../sync-documents.ts";
import { InMemoryVectorStore } from "../vector/in-memory-vector-store.ts";
import type { VectorStore } from "../vector/vector-store.ts";

/** Opens a knowledge base over a store, with fake embeddings. */
export function open(vectorStore: VectorStore = new InMemoryVectorStore(), more: Partial<KnowledgeBaseConfig> = {}) {
  const embeddings = new FakeEmbeddings();
  const knowledge = new KnowledgeBase({ name: "kb", vectorStore, embeddings, ...more });
  return { knowledge, embeddings, vectorStore };
}

/** Documents that note which of them are read. */
export function folder(files: Record<string, string>, { hashed = true } = {}) {
  const reads: string[] = [];
  const documents = Object.entries(files).map(([id, content]): SyncDocument => {
    const read = () => (reads.push(id), content);
    return { id, ...(hashed && { hash: content }), read };
  });
  return { documents, reads };
}

/** A document of many pieces. */
export const long = Array.from({ length: 40 }, (_, index) => `Sentence ${index} of the handbook.`).join(" ");
export const small = { chunking: { size: 40, overlap: 4 } };

/** Returns the ids of the documents that a search finds. */
export async function idsOf({ knowledge }: ReturnType<typeof open>): Promise<string[]> {
  const found = await knowledge.search("text", { topK: 1000 });
  return [
    ...new Set(found.map(({ document }) => (document.metadata?.["documentId"] as string | undefined) ?? document.id)),
  ].toSorted();
}
