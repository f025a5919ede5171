import type { DocumentFields } from "./check-document.ts";
import type { MetadataFilter } from "./metadata-filter.ts";
import type { CheckedSearchOptions } from "./read-search-options.ts";
import type { VectorDocument, VectorSearchResult } from "./vector-store.ts";

/**
 * A vector in 32-bit floats and its Euclidean length, which is never zero or infinite. For cosines divide by the length
 * first: products of long vectors overflow, those of short ones vanish.
 */
export type DirectedVector = { readonly vector: Float32Array; readonly length: number };

/** A checked document with its vector, for a `VectorDatabase` to store. */
export type StoredDocument = DocumentFields & DirectedVector;

/** A checked change for a `VectorDatabase`: it removes by id and by filter, then stores. No id comes twice. */
export type StoredChange = {
  readonly documents: readonly StoredDocument[];
  readonly deletedIds: readonly string[];
  readonly deletedWhere: MetadataFilter | undefined;
};

/** A checked search for a `VectorDatabase`. Without a minimal score `minScore` is `-Infinity`. */
export type StoredSearch = DirectedVector & Readonly<CheckedSearchOptions>;

/**
 * A database of documents with vectors: the part of a vector store that differs between databases. `DatabaseVectorStore`
 * makes a `VectorStore` of it, and checks arguments first. `collection` is any string of at most some thousand
 * characters; the store itself is `""`. A collection that was never written is empty. Every member rejects with a
 * `TroupeError`.
 */
export interface VectorDatabase {
  /**
   * Makes a change in one step. The first document of an empty collection decides the length of its vectors: another
   * length is refused with `checkDimensions`, and nothing is changed.
   */
  write(collection: string, change: StoredChange): Promise<void>;
  /** Returns the nearest documents, in any order. Ties at the end are decided by the bytes of the id. */
  search(collection: string, search: StoredSearch): Promise<VectorSearchResult[]>;
  get(collection: string, id: string): Promise<VectorDocument | null>;
  /** Removes the documents of a collection, the length of its vectors and the name of its model. */
  clear(collection: string): Promise<void>;
  /** Keeps the name of the collection's model, unless there is one, and returns the kept name. */
  rememberModel(collection: string, model: string): Promise<string>;
  close(): Promise<void>;
}
