import type { DocumentFields } from "./check-document.ts";
import type { MetadataFilter } from "./metadata-filter.ts";
import type { CheckedSearchOptions } from "./read-search-options.ts";
import type { VectorDocument, VectorListPage, VectorSearchResult } from "./vector-store.ts";

/**
 * A vector in 32-bit floats with its Euclidean length, which is never zero or infinite. To compute a cosine, divide the
 * vector by the length first, because products of long vectors overflow and products of short vectors vanish.
 */
export type VectorWithLength = { readonly vector: Float32Array; readonly length: number };

/** A checked document with its vector, for a `VectorDatabase` to store. */
export type StoredDocument = DocumentFields & VectorWithLength;

/**
 * A checked change for a `VectorDatabase`: it removes documents by id and by filter, and then stores documents. Each id
 * occurs once.
 */
export type VectorWrite = {
  readonly documents: readonly StoredDocument[];
  readonly deletedIds: readonly string[];
  readonly deletedWhere: MetadataFilter | undefined;
};

/** A checked search for a `VectorDatabase`. If no minimum score was given, `minScore` is `-Infinity`. */
export type VectorSearchQuery = VectorWithLength & Readonly<CheckedSearchOptions>;

/**
 * A checked search by words. `terms` are the words of the query, and pairs of characters of languages without spaces.
 */
export type TextSearchQuery = {
  readonly query: string;
  readonly terms: readonly string[];
  readonly topK: number;
  readonly filter: MetadataFilter;
};

/** The part of a `VectorDatabase` that searches by words. */
export interface TextSearchDatabase {
  /** Returns the most relevant documents, in any order. The higher the score, the more relevant. */
  searchText(collection: string, search: TextSearchQuery): Promise<VectorSearchResult[]>;
  hasTextIndex(collection: string): Promise<boolean>;
  createTextIndex(collection: string): Promise<void>;
}

/** The checked options of `VectorDatabase.list`. If no prefix was given, `prefix` is empty. */
export type VectorListQuery = { readonly prefix: string; readonly after: string | undefined; readonly limit: number };

/**
 * A database of documents with vectors: the part of a vector store that differs between databases.
 * `DatabaseVectorStore` makes it a `VectorStore` and checks the arguments. `collection` is any string of at most about
 * a thousand characters; the store itself is `""`. A collection that was never written is empty. Every method rejects
 * with a `TroupeError`.
 */
export interface VectorDatabase {
  /**
   * Makes a change in one step. The first document of an empty collection determines the number of dimensions of its
   * vectors. A vector with another number is rejected by `checkDimensions`, and nothing is changed.
   */
  write(collection: string, change: VectorWrite): Promise<void>;
  /** Returns the nearest documents, in any order. If scores are equal at the limit, the bytes of the ids decide. */
  search(collection: string, search: VectorSearchQuery): Promise<VectorSearchResult[]>;
  get(collection: string, id: string): Promise<VectorDocument | null>;
  /** Returns a page of a collection's ids and metadata. `after` is the `next` of an earlier page. */
  list(collection: string, page: VectorListQuery): Promise<VectorListPage>;
  /** Removes the documents of a collection, its vector length and its model name. */
  clear(collection: string): Promise<void>;
  /** Stores the name of the collection's model unless a name is stored already, and returns the stored name. */
  rememberModel(collection: string, model: string): Promise<string>;
  close(): Promise<void>;
}
