import { KnowledgeBase } from "../knowledge-base.ts";
import type { Chunking } from "../chunking.ts";
import { FakeEmbeddings } from "../../testing/fake-embeddings.ts";
import { InMemoryVectorStore } from "../vector/in-memory-vector-store.ts";
import type { VectorDocument, VectorStore } from "../vector/vector-store.ts";
import { longText } from "./long-text.ts";

/** Splits documents of more than 60 tokens. */
export const smallPieces: Chunking = { size: 60, overlap: 10 };

/**
 * Opens a knowledge base with small pieces over a store that it leaves open. `idsOf` returns the ids of all that it
 * finds.
 */
export function openKnowledge(
  vectorStore: VectorStore = new InMemoryVectorStore(),
  { chunking = smallPieces }: { chunking?: Chunking } = {},
) {
  const embeddings = new FakeEmbeddings();
  const knowledge = new KnowledgeBase({ name: "kb", vectorStore, embeddings, ownsStore: false, chunking });
  const idsOf = async (filter?: object) =>
    (await knowledge.search("page", { topK: 10_000, filter: { ...filter } }))
      .map(({ document }) => document.id)
      .toSorted();
  return Object.assign(knowledge, { embeddings, idsOf });
}

/** Returns the ids of the pieces of a document, sorted as strings. */
export function pieceIds(id: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${id}#${index + 1}`).toSorted();
}

/** Makes a document with many pieces. */
export function long(id: string, sentences = 20, topic?: string): VectorDocument {
  return { id, content: longText(sentences, topic) };
}

/** Makes a document that stays whole. */
export function short(id: string): VectorDocument {
  return { id, content: `short ${id}` };
}
