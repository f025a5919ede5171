import type { VectorDocument, VectorStore } from "@troupe/core";
import { onTestFinished } from "vitest";
import { QdrantVectorStore } from "../src/qdrant-vector-store.ts";
import { QdrantDouble } from "./qdrant-double.ts";

/** Starts a store over a server of its own, which end with the test. */
export async function startStore(): Promise<{ double: QdrantDouble; store: QdrantVectorStore }> {
  const double = await QdrantDouble.start();
  const store = new QdrantVectorStore({ url: double.url });
  onTestFinished(async () => {
    await store.close();
    await double.close();
  });
  return { double, store };
}

/** A document at a place in the space of the embeddings. */
export const documentAt = (id: string, embedding: number[], metadata?: Record<string, unknown>): VectorDocument => ({
  id,
  content: `content of ${id}`,
  embedding,
  ...(metadata && { metadata }),
});

/** Returns the ids of the documents that a search finds, the nearest first. */
export async function idsOf(store: VectorStore, topK = 10): Promise<string[]> {
  return (await store.search([1, 0], { topK })).map(({ document }) => document.id);
}
