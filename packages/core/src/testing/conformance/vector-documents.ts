import type { VectorDocument, VectorSearchOptions, VectorStore } from "../../knowledge/vector/vector-store.ts";

/** Makes a document for the vector suites, with content from its id and a vector of two numbers. */
export function at(id: string, embedding: number[], metadata?: Record<string, unknown>): VectorDocument {
  return { id, content: `content of ${id}`, embedding, ...(metadata && { metadata }) };
}

/** Stores the documents in the store, one after the other. */
export async function fill(store: VectorStore, ...documents: VectorDocument[]): Promise<void> {
  for (const document of documents) await store.upsert(document);
}

/** Returns the ids found by a search with the vector `[1, 0]`, best first. */
export async function eastIds(store: VectorStore, options?: VectorSearchOptions): Promise<string[]> {
  return (await store.search([1, 0], options)).map(({ document }) => document.id);
}
