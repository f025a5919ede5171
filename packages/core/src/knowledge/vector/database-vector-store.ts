import { LazyConnection } from "../../base/async/lazy-connection.ts";
import { integerOption, methodsOption, optional } from "../../base/errors/option-checks.ts";
import { wrongOption } from "../../base/errors/read-options.ts";
import type { OptionTable } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { compareUtf8 } from "../../base/util/compare-utf8.ts";
import { checkEmbedding, checkVectorName, copyDocument, holdsNul } from "./check-document.ts";
import type { DocumentFields } from "./check-document.ts";
import type { EmbeddingProvider } from "./embedding-provider.ts";
import { toFilter } from "./metadata-filter.ts";
import { largestTopK, readSearchOptions } from "./read-search-options.ts";
import { queryTerms } from "./text/text-terms.ts";
import type { VectorWithLength, StoredDocument, TextSearchDatabase, VectorDatabase } from "./vector-database.ts";
import type {
  TextSearchOptions,
  VectorChange,
  VectorDocument,
  VectorListOptions,
  VectorListPage,
  VectorSearchOptions,
  VectorSearchResult,
  VectorStore,
} from "./vector-store.ts";

/** The options that every vector store accepts. */
export type VectorStoreOptions = {
  /** Makes the vectors of documents without a vector. */
  embeddings?: EmbeddingProvider | undefined;
  /**
   * The number of dimensions of all vectors. @default that of the embeddings, or else of the first document of each
   * collection
   */
  dimensions?: number | undefined;
};

/** Checks of the options that every vector store accepts, for the store's own option table. */
export const vectorStoreOptionTable: OptionTable<VectorStoreOptions> = {
  embeddings: optional(methodsOption<EmbeddingProvider>("an EmbeddingProvider", "embed", "embedBatch")),
  dimensions: optional(integerOption(1)),
};

/** The database of a `DatabaseVectorStore`, its name in error messages, and the options of the caller. */
export type DatabaseVectorStoreInit = VectorStoreOptions & {
  /** The store's name at the beginning of error messages, such as `The Qdrant vector store`. */
  readonly name: string;
  /** True if the database is a `TextSearchDatabase`, so that the store has `searchText`. @default false */
  readonly searchesText?: boolean | undefined;
  /** Opens the database on the first call. After a failure the next call tries again. */
  readonly open: () => Promise<VectorDatabase & Partial<TextSearchDatabase>>;
};

/** The parts of a store that the views of its collections share. */
type SharedParts = {
  readonly name: string;
  readonly connection: LazyConnection<VectorDatabase & Partial<TextSearchDatabase>>;
  readonly searchesText: boolean;
  readonly embeddings: EmbeddingProvider | undefined;
  readonly dimensions: number | undefined;
};

/** The documents of a `DatabaseVectorStore`, or of one of its collections, as a vector store. */
export class VectorCollection implements VectorStore {
  readonly embeddings: EmbeddingProvider | undefined;
  readonly searchText?: (query: string, options?: TextSearchOptions) => Promise<VectorSearchResult[]>;
  readonly hasTextIndex?: () => Promise<boolean>;
  readonly createTextIndex?: () => Promise<void>;
  readonly #shared: SharedParts;
  readonly #path: string;
  readonly #parent: VectorCollection | undefined;
  #closed = false;

  constructor(shared: SharedParts, path: string, parent?: VectorCollection) {
    this.embeddings = shared.embeddings;
    this.#shared = shared;
    this.#path = path;
    this.#parent = parent;
    if (!shared.searchesText) return;
    this.searchText = async (query, options) => await this.#searchText(query, options);
    this.hasTextIndex = async () =>
      await this.#use(async (database) => (await database.hasTextIndex?.(this.#path)) === true);
    this.createTextIndex = async () =>
      await this.#use(async (database) => await database.createTextIndex?.(this.#path));
  }

  async initialize(): Promise<void> {
    await this.#use(async () => {});
  }

  async upsert(document: VectorDocument): Promise<void> {
    await this.write({ upsert: [document] });
  }

  async write({ upsert = [], delete: deleted = [], deleteWhere }: VectorChange): Promise<void> {
    this.#checkOpen();
    // If several documents share an id, the last is stored, at the position of the first.
    const kept = new Map(upsert.map((document) => [document.id, this.#snapshot(document)]));
    for (const id of deleted) checkVectorName("document id", id);
    const deletedIds = [...new Set(deleted)].filter((id) => !kept.has(id));
    const filter = deleteWhere === undefined ? undefined : toDeletingFilter(deleteWhere);
    const deletedWhere = filter === undefined || findsNothing(filter) ? undefined : filter;
    const documents = await this.#withVectors([...kept.values()]);
    if (documents.length === 0 && deletedIds.length === 0 && deletedWhere === undefined) return this.#checkOpen();
    await this.#use(async (database) => await database.write(this.#path, { documents, deletedIds, deletedWhere }));
  }

  async search(embedding: readonly number[], options?: VectorSearchOptions): Promise<VectorSearchResult[]> {
    this.#checkOpen();
    const search = { ...this.#directed(embedding), ...readSearchOptions(options) };
    if (findsNothing(search.filter)) return [];
    return toRanked(await this.#use(async (database) => await database.search(this.#path, search)), search);
  }

  async get(id: string): Promise<VectorDocument | null> {
    this.#checkOpen();
    checkVectorName("document id", id);
    return await this.#use(async (database) => await database.get(this.#path, id));
  }

  async list({ prefix = "", after, limit = 1000 }: VectorListOptions = {}): Promise<VectorListPage> {
    this.#checkOpen();
    if (!(Number.isInteger(limit) && limit >= 1 && limit <= largestTopK)) {
      throw new TroupeError("invalid_value", `limit must be an integer from 1 to ${largestTopK}, got ${limit}.`);
    }
    if (prefix !== "") checkVectorName("document id", prefix);
    return await this.#use(async (database) => await database.list(this.#path, { prefix, after, limit }));
  }

  async delete(id: string): Promise<void> {
    await this.write({ delete: [id] });
  }

  async clear(): Promise<void> {
    await this.#use(async (database) => await database.clear(this.#path));
  }

  async rememberModel(model: string): Promise<string> {
    return await this.#use(async (database) => await database.rememberModel(this.#path, model));
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  collection(name: string): VectorCollection {
    this.#checkOpen();
    checkVectorName("collection name", name);
    const path = this.#path === "" ? encodeURIComponent(name) : `${this.#path}/${encodeURIComponent(name)}`;
    return new VectorCollection(this.#shared, path, this);
  }

  /** Copies and checks a document before any wait, because the caller may change its object. */
  #snapshot(document: VectorDocument): DocumentFields & Partial<VectorWithLength> {
    const fields = copyDocument(document);
    if (document.embedding !== undefined) return { ...fields, ...this.#directed(document.embedding) };
    if (this.embeddings !== undefined) return fields;
    const message = "The document has no embedding. Give it one, or give the store `embeddings`.";
    throw new TroupeError("invalid_value", message);
  }

  async #withVectors(documents: (DocumentFields & Partial<VectorWithLength>)[]): Promise<StoredDocument[]> {
    const missing = documents.filter(({ vector }) => vector === undefined);
    const texts = missing.map(({ content }) => content);
    const made = texts.length === 0 ? [] : await this.#embed(texts);
    const vectors = new Map(missing.map(({ id }, index) => [id, made[index]]));
    return documents.map((document) => {
      const { vector, length } = document;
      if (vector !== undefined && length !== undefined) return { ...document, vector, length };
      return { ...document, ...this.#directed(vectors.get(document.id)) };
    });
  }

  async #embed(texts: readonly string[]): Promise<(readonly number[])[]> {
    const [first = ""] = texts;
    if (this.embeddings === undefined) return [];
    return texts.length === 1 ? [await this.embeddings.embed(first)] : await this.embeddings.embedBatch(texts);
  }

  #directed(embedding: unknown): VectorWithLength {
    const length = checkEmbedding(embedding, this.#shared.dimensions);
    return { vector: Float32Array.from(embedding as readonly number[]), length };
  }

  async #searchText(query: string, options: TextSearchOptions = {}): Promise<VectorSearchResult[]> {
    this.#checkOpen();
    if (typeof query !== "string") throw wrongOption("query", "a string", query);
    const { topK, filter } = readSearchOptions({ topK: options.topK, filter: options.filter });
    const terms = queryTerms(query);
    if (terms.length === 0 || findsNothing(filter)) return [];
    const found = await this.#use(async (database) => {
      return await database.searchText?.(this.#path, { query: terms.join(" "), terms, topK, filter });
    });
    const ranked = (found ?? []).toSorted(
      (one, other) => other.score - one.score || compareUtf8(one.document.id, other.document.id),
    );
    return ranked.slice(0, topK);
  }

  async #use<Result>(
    work: (database: VectorDatabase & Partial<TextSearchDatabase>) => Promise<Result>,
  ): Promise<Result> {
    this.#checkOpen();
    return await this.#shared.connection.use(work);
  }

  #checkOpen(): void {
    if (this.#closed) throw new TroupeError("storage_unavailable", `${this.#shared.name} has been closed.`);
    if (this.#parent !== undefined) this.#parent.#checkOpen();
  }
}

/**
 * Base class of vector stores over a database: a complete `VectorStore` over a `VectorDatabase`. Checks arguments,
 * embeds documents without a vector, opens the database on the first call, ranks search results, and closes.
 */
export class DatabaseVectorStore extends VectorCollection {
  readonly #connection: LazyConnection<VectorDatabase & Partial<TextSearchDatabase>>;

  constructor({ name, open, embeddings, dimensions, searchesText = false }: DatabaseVectorStoreInit) {
    const made = embeddings?.dimensions;
    if (dimensions !== undefined && made !== undefined && made !== dimensions) {
      throw wrongOption("dimensions", `${made}, as the embeddings have`, dimensions);
    }
    const connection = new LazyConnection(name, open);
    super({ name, connection, searchesText, embeddings, dimensions: dimensions ?? made }, "");
    this.#connection = connection;
  }

  /** Waits for running calls of this store, then releases the database. */
  override async close(): Promise<void> {
    await super.close();
    await this.#connection.close();
  }
}

/**
 * Checks the filter of a deletion as `toFilter` does, and also rejects an empty filter, which would match every
 * document.
 */
export function toDeletingFilter(filter: Record<string, unknown>): Record<string, unknown> {
  const checked = toFilter(filter);
  if (Object.keys(checked).length > 0) return checked;
  throw new TroupeError("invalid_value", "deleteWhere must not be empty. To remove all documents, call clear().");
}

/**
 * Returns true if a filter contains a NUL character: no stored document contains NUL, and some databases cannot search
 * for it.
 */
function findsNothing(filter: Record<string, unknown>): boolean {
  return holdsNul(JSON.stringify(filter));
}

/** Sorts the results, best first and equal scores by id, and returns as many as the search asked for. */
function toRanked(
  found: readonly VectorSearchResult[],
  { topK, minScore }: { topK: number; minScore: number },
): VectorSearchResult[] {
  // Rounding may move a score slightly out of the range from -1 to 1.
  const scored = found.map(({ document, score }) => ({ document, score: Math.max(-1, Math.min(1, score)) }));
  const wanted = scored.filter(({ score }) => score >= minScore);
  const ranked = wanted.toSorted(
    (one, other) => other.score - one.score || compareUtf8(one.document.id, other.document.id),
  );
  return ranked.slice(0, topK);
}
