import type { EmbeddingProvider } from "./embedding-provider.ts";

/** A document of a `VectorStore`: a text with its vector, and metadata to filter by. */
export type VectorDocument = {
  id: string;
  content: string;
  embedding?: number[];
  metadata?: Record<string, unknown>;
};

/** The options of `VectorStore.search`: the number of results, the lowest score, and a filter on metadata. */
export type VectorSearchOptions = {
  /** The number of results, at most 10,000. @default 10 */
  topK?: number | undefined;
  /** Leaves out results below this score. */
  minScore?: number | undefined;
  /**
   * Keeps documents whose metadata has each of these values: equal JSON, arrays and objects as a whole. A name is that of
   * a field, or names joined by dots for a field within objects: `{ "author.city": "Oslo" }`. `null` means a stored
   * `null`. Refused are `undefined`, because a forgotten value must not widen a search, and names that begin with `$`,
   * because there are no operators.
   */
  filter?: Record<string, unknown> | undefined;
};

/** A document without its embedding, and its score: the cosine, from 1 for the same direction to -1 for the opposite one. */
export type VectorSearchResult = { document: VectorDocument; score: number };

/** A change of many documents that `VectorStore.write` makes in one step: first it removes, then it stores. */
export type VectorChange = {
  /** Documents to store, each as `upsert` does. Of several with one id the last counts. */
  upsert?: readonly VectorDocument[] | undefined;
  /** Ids of documents to remove. Absent ones are not an error. */
  delete?: readonly string[] | undefined;
  /** Removes all documents that this filter finds. An empty one is refused: `clear` removes everything. */
  deleteWhere?: Record<string, unknown> | undefined;
};

/**
 * A store of documents that finds them by the cosine of their vectors.
 *
 * All vectors of a store have the same number of dimensions: the configured one, else that of the first document. They are
 * kept as 32-bit floats, and scores are as exact as that allows (about 1e-6).
 *
 * Every method rejects with a `TroupeError`: `storage_unavailable` when the store cannot be reached or is closed, and
 * `invalid_value` for a document, vector or option that cannot be used: an id that storage would refuse as a key, metadata
 * that is not JSON, a vector that is not finite, has another length, or is zero and so has no direction.
 */
export interface VectorStore {
  /** The embeddings of the store. A text to search for must be embedded by the same. */
  readonly embeddings?: EmbeddingProvider | undefined;
  /**
   * Stores the document, replacing one with the same id as a whole. Without an embedding the store makes one from the
   * content, if it has `embeddings`. It keeps no reference to the caller's object.
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
   * Connects and prepares the database, so that a fault shows now instead of in the first call. Optional: the first call
   * does the same. Safe to call again, and by many processes at once.
   */
  initialize?(): Promise<void>;
  /** Removes and stores documents in one step: a reader finds all of the change or none, and a refused one changes nothing. */
  write?(change: VectorChange): Promise<void>;
  /**
   * Remembers the name of the embedding model whose vectors these are, unless one is remembered already, and returns the
   * remembered name. `clear` forgets it.
   */
  rememberModel?(model: string): Promise<string>;
  /**
   * A store of its own inside this one: nothing in it is seen outside. The same name gives a view of the same documents.
   * Closing a view leaves the documents and other views as they are; closing the store closes all its views.
   */
  collection?(name: string): VectorStore;
}
