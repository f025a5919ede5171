import type { VectorDocument, VectorSearchOptions, VectorStore } from "../../vector/vector-store.ts";

/** A document at a place of the plane. */
export function at(id: string, embedding: number[], metadata?: Record<string, unknown>): VectorDocument {
  return { id, content: `content of ${id}`, embedding, ...(metadata && { metadata }) };
}

/** Stores the documents, one after the other. */
export async function fill(store: VectorStore, ...documents: VectorDocument[]): Promise<void> {
  for (const document of documents) await store.upsert(document);
}

/** The ids that a search to the east finds. */
export async function eastIds(store: VectorStore, options?: VectorSearchOptions): Promise<string[]> {
  return (await store.search([1, 0], options)).map(({ document }) => document.id);
}
