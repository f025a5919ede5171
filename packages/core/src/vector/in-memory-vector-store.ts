import { integer, methods, optional } from "../errors/option-checks.ts";
import { readOptions, wrongOption } from "../errors/read-options.ts";
import type { OptionTable } from "../errors/read-options.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import { checkVectorName, copyDocument } from "./check-document.ts";
import type { EmbeddingProvider } from "./embedding-provider.ts";
import { readSearchOptions } from "./read-search-options.ts";
import type { VectorDocument, VectorSearchOptions, VectorSearchResult, VectorStore } from "./vector-store.ts";
import { VectorSpace } from "./vector-space.ts";

/** The options of an `InMemoryVectorStore`. */
export type InMemoryVectorStoreOptions = {
  /** Makes the vectors of documents without one. */
  embeddings?: EmbeddingProvider | undefined;
  /** The number of dimensions of all vectors. @default that of the embeddings, else that of the first document of each collection */
  dimensions?: number | undefined;
};

const optionTable = {
  embeddings: optional(methods<EmbeddingProvider>("an EmbeddingProvider", "embed")),
  dimensions: optional(integer(1)),
} satisfies OptionTable<InMemoryVectorStoreOptions>;

/**
 * A vector store in the memory of the process. A search compares every vector: exact, and fast enough for some hundred
 * thousand. A vector of 1,536 numbers takes 6.2 KB.
 */
export class InMemoryVectorStore implements VectorStore {
  readonly embeddings: EmbeddingProvider | undefined;
  readonly #options: InMemoryVectorStoreOptions;
  #space: VectorSpace;
  #parent: InMemoryVectorStore | undefined;
  #closed = false;

  constructor(options: InMemoryVectorStoreOptions = {}) {
    this.#options = readOptions(optionTable, options, { owner: "InMemoryVectorStore" });
    this.embeddings = this.#options.embeddings;
    this.#space = new VectorSpace(dimensionsOf(this.#options));
  }

  async upsert(document: VectorDocument): Promise<void> {
    this.#checkOpen();
    const text = copyDocument(document);
    const vector = document.embedding ?? (await this.#embed(text.content));
    // The store may have been closed while the embedding was made.
    this.#checkOpen();
    this.#space.upsert(text, vector);
  }

  async search(embedding: readonly number[], options?: VectorSearchOptions): Promise<VectorSearchResult[]> {
    this.#checkOpen();
    return this.#space.search(embedding, readSearchOptions(options));
  }

  async get(id: string): Promise<VectorDocument | null> {
    this.#checkOpen();
    checkVectorName("document id", id);
    return this.#space.get(id);
  }

  async delete(id: string): Promise<void> {
    this.#checkOpen();
    checkVectorName("document id", id);
    this.#space.delete(id);
  }

  async clear(): Promise<void> {
    this.#checkOpen();
    this.#space.clear();
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#parent === undefined) this.#space.dispose();
  }

  collection(name: string): InMemoryVectorStore {
    this.#checkOpen();
    checkVectorName("collection name", name);
    const view = new InMemoryVectorStore(this.#options);
    view.#parent = this;
    view.#space = this.#space.collection(name);
    return view;
  }

  #embed(text: string): Promise<number[]> {
    if (this.embeddings !== undefined) return this.embeddings.embed(text);
    const message = "The document has no embedding. Give it one, or give the store `embeddings`.";
    throw new TroupeError("invalid_value", message);
  }

  #checkOpen(): void {
    if (this.#closed) throw new TroupeError("storage_unavailable", "The in-memory vector store has been closed.");
    if (this.#parent !== undefined) this.#parent.#checkOpen();
  }
}

function dimensionsOf({ dimensions, embeddings }: InMemoryVectorStoreOptions): number | undefined {
  if (dimensions === undefined) return embeddings?.dimensions;
  const made = embeddings?.dimensions ?? dimensions;
  if (made !== dimensions) throw wrongOption("dimensions", `${made}, as the embeddings have`, dimensions);
  return dimensions;
}
