import type { EmbeddingProvider } from "./embedding-provider.ts";

/** A text with its vector and facts to filter by. */
export type VectorDocument = {
  id: string;
  content: string;
  embedding?: number[];
  metadata?: Record<string, unknown>;
};

/** Narrows a search. */
export type VectorSearchOptions = {
  /** At most so many results, up to 10,000. @default 10 */
  topK?: number;
  /** Leaves out results below this score. */
  minScore?: number;
  /**
   * Keeps documents whose metadata holds each of these values as its own: equal JSON, lists and objects as a whole.
   * `null` asks for a stored `null`, and `undefined` is refused, as a forgotten value must not widen a search.
   */
  filter?: Record<string, unknown>;
};

/** A document that was found, without its embedding, and how near it is: 1 is the same direction, -1 the opposite one. */
export type VectorSearchResult = { document: VectorDocument; score: number };

/**
 * Documents found by the nearness of their vectors (cosine).
 *
 * All vectors of a store have the same length: the one it was told, else that of the first document. They are kept as
 * 32-bit floats, and scores are as exact as that allows (about 1e-6).
 *
 * Every method rejects with a `TroupeError`: `storage_unavailable` when the store cannot be reached or is closed, and
 * `invalid_value` for a document, vector or option that cannot be used: an id that storage would refuse as a key, metadata
 * that is not JSON, a vector that is not finite, has another length, or is zero and so has no direction.
 */
export interface VectorStore {
  /** What the store was given to make embeddings with; whoever searches it by text embeds the text with the same. */
  readonly embeddings?: EmbeddingProvider | undefined;
  /**
   * Stores the document, replacing one with the same id as a whole. Without an embedding the store makes one from the
   * content, if it was given `embeddings`. It keeps nothing of the caller's object.
   */
  upsert(document: VectorDocument): Promise<void>;
  /** Returns the nearest documents, best first; equal scores are ordered by id, by its bytes in UTF-8. */
  search(embedding: readonly number[], options?: VectorSearchOptions): Promise<VectorSearchResult[]>;
  /** Returns the document with its embedding, each number rounded to a 32-bit float, or `null`. */
  get(id: string): Promise<VectorDocument | null>;
  /** Removes the document. Removing an absent one is not an error. */
  delete(id: string): Promise<void>;
  /** Removes all documents, but not those of collections. */
  clear(): Promise<void>;
  /** Releases what the store holds. Closing twice is safe; any other call afterwards is an error. */
  close(): Promise<void>;
  /**
   * A store of its own inside this one: nothing in it is seen outside. The same name gives a view of the same documents.
   * Closing a view leaves the documents and other views as they are; closing the store closes all its views.
   */
  collection?(name: string): VectorStore;
}
