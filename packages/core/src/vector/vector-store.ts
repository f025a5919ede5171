/** A text with its vector and facts to filter by. */
export type VectorDocument = {
  id: string;
  content: string;
  embedding?: number[];
  metadata?: Record<string, unknown>;
};

/** Narrows a search. */
export type VectorSearchOptions = {
  /** At most so many results. @default 10 */
  topK?: number;
  /** Leaves out results below this score. */
  minScore?: number;
  /** Keeps documents whose metadata holds each of these values. */
  filter?: Record<string, unknown>;
};

/** A document that was found, and how near it is: 1 is the same direction. */
export type VectorSearchResult = { document: VectorDocument; score: number };

/** Documents found by the nearness of their vectors (cosine). */
export interface VectorStore {
  /** Stores the document, replacing one with the same id. Without an embedding the store makes one, if it can. */
  upsert(document: VectorDocument): Promise<void>;
  /** Returns the nearest documents, best first; equal scores are ordered by id. */
  search(embedding: readonly number[], options?: VectorSearchOptions): Promise<VectorSearchResult[]>;
  /** Returns the document, or `null`. */
  get(id: string): Promise<VectorDocument | null>;
  /** Removes the document. Removing an absent one is not an error. */
  delete(id: string): Promise<void>;
  /** Removes all documents. */
  clear(): Promise<void>;
  /** Releases what the store holds. Closing twice is safe. */
  close(): Promise<void>;
  /** A store of its own inside this one: nothing in it is seen outside. */
  collection?(name: string): VectorStore;
}
