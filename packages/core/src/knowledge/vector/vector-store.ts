import type { EmbeddingProvider } from "./embedding-provider.ts";

/** A document of a `VectorStore`: a text with its vector, and metadata to filter by. */
export type VectorDocument = {
  id: string;
  content: string;
  embedding?: number[];
  metadata?: Record<string, unknown>;
};

/** The options of `VectorStore.search`: the number of results, the minimum score, and a filter on metadata. */
export type VectorSearchOptions = {
  /** The maximum number of results, at most 10,000. @default 10 */
  topK?: number | undefined;
  /** Omits results below this score. */
  minScore?: number | undefined;
  /**
   * Keeps only documents whose metadata has each of these values: equal JSON, with arrays and objects as a whole. A
   * name is a field's name, or the names on the path to a nested field, joined by dots: `{ "author.city": "Oslo" }`.
   * `null` means a stored `null`. `undefined` is rejected, because a forgotten value must not widen a search. Names
   * that begin with `$` are rejected, because there are no operators.
   */
  filter?: Record<string, unknown> | undefined;
};

/**
 * A document without its embedding, and its score: the cosine, from 1 for the same direction to -1 for the opposite
 * direction.
 */
export type VectorSearchResult = { document: VectorDocument; score: number };

/**
 * Options of `VectorStore.searchText`: the number of results, and a filter on metadata, as in `VectorSearchOptions`.
 */
export type TextSearchOptions = Pick<VectorSearchOptions, "topK" | "filter">;

/** Options of `VectorStore.list`: a prefix of ids, a place in the list, and the size of a page. */
export type VectorListOptions = {
  /** Lists only documents whose ids begin with this string. */
  prefix?: string | undefined;
  /** The `next` of an earlier page, with the same prefix. */
  after?: string | undefined;
  /** The maximum number of documents in the page; a page may have fewer. @default 1000 */
  limit?: number | undefined;
};

/** A page of `VectorStore.list`: ids and metadata of documents. The last page has no `next`. */
export type VectorListPage = { documents: Omit<VectorDocument, "content" | "embedding">[]; next?: string };

/** A change of many documents that `VectorStore.write` makes in one step: first it removes, then it stores. */
export type VectorChange = {
  /** Documents to store, each as `upsert` does. If several share an id, the last is stored. */
  upsert?: readonly VectorDocument[] | undefined;
  /** Ids of documents to remove. Absent ids are not an error. */
  delete?: readonly string[] | undefined;
  /** Removes all documents that match this filter. An empty filter is rejected: use `clear` to remove everything. */
  deleteWhere?: Record<string, unknown> | undefined;
};

/**
 * A store of documents that finds them by the cosine of their vectors.
 *
 * All vectors of a store have the same number of dimensions: the configured number, or else that of the first document.
 * They are stored as 32-bit floats, and scores are as exact as these allow (about 1e-6).
 *
 * Every method rejects with a `TroupeError`. The code is `storage_unavailable` if the store cannot be reached or is
 * closed. It is `invalid_value` for an unusable document, vector or option. Examples are an id that storage would
 * reject as a key, and metadata that is not JSON. A vector is unusable if it is not finite, has another length, or is
 * zero and has no direction.
 */
export interface VectorStore {
  /** The embeddings of the store. Embed search texts with the same embeddings. */
  readonly embeddings?: EmbeddingProvider | undefined;
  /**
   * Stores the document, replacing the whole document with the same id. If it has no embedding, the store makes one
   * from the content, provided that it has `embeddings`. The store keeps no reference to the caller's object.
   */
  upsert(document: VectorDocument): Promise<void>;
  /** Returns the nearest documents, best first. Equal scores are ordered by the UTF-8 bytes of the id. */
  search(embedding: readonly number[], options?: VectorSearchOptions): Promise<VectorSearchResult[]>;
  /** Returns the document with its embedding, each number rounded to a 32-bit float, or `null`. */
  get(id: string): Promise<VectorDocument | null>;
  /** Removes the document. Removing an absent document is not an error. */
  delete(id: string): Promise<void>;
  /** Removes all documents of the store, but not the documents of its collections. */
  clear(): Promise<void>;
  /** Releases the resources of the store. Closing twice is safe; any other call afterwards is an error. */
  close(): Promise<void>;
  /**
   * Connects and prepares the database, so that a fault is detected early. Calling it is optional: otherwise the first
   * call does the same. Safe to call repeatedly, and by many processes at once.
   */
  initialize?(): Promise<void>;
  /**
   * Removes and stores documents in one step: a reader sees the whole change or none of it, and a rejected change has
   * no effect.
   */
  write?(change: VectorChange): Promise<void>;
  /**
   * Lists the ids and metadata of the documents, page by page in any order. A document that is stored from the first
   * page to the last is listed exactly once.
   */
  list?(options?: VectorListOptions): Promise<VectorListPage>;
  /**
   * Finds documents by the words of a text, best first. `score` is the relevance by the database's own measure, and not
   * a cosine. Rejects with `invalid_config` while there is no text index.
   */
  searchText?(query: string, options?: TextSearchOptions): Promise<VectorSearchResult[]>;
  /** Returns true if the text index exists, so that `searchText` finds all documents. */
  hasTextIndex?(): Promise<boolean>;
  /**
   * Creates the text index for documents that an older version has stored. New stores already have it. Safe to call
   * repeatedly.
   */
  createTextIndex?(): Promise<void>;
  /**
   * Stores the name of the embedding model of these vectors, unless a name is stored already, and returns the stored
   * name. `clear` removes the name.
   */
  rememberModel?(model: string): Promise<string>;
  /**
   * Returns a separate store within this store: its documents are not visible outside it. The same name returns a view
   * of the same documents. Closing a view leaves the documents and other views as they are; closing the store closes
   * all its views.
   */
  collection?(name: string): VectorStore;
}
