import { checkOptionNames } from "../errors/read-options.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import { untilAborted } from "../async/until-aborted.ts";
import type { ToolDef } from "../run/tool.ts";
import type { EmbeddingProvider } from "../vector/embedding-provider.ts";
import { checkSearchOptions } from "../vector/read-search-options.ts";
import type { VectorDocument, VectorSearchOptions, VectorSearchResult, VectorStore } from "../vector/vector-store.ts";
import { addDocument, addDocuments } from "./add-documents.ts";
import type { AddDocumentsSettings } from "./add-documents.ts";
import { embedText, requireEmbeddings } from "./ask-for-vectors.ts";
import { FieldCollection } from "./field-collection.ts";
import { readKnowledgeBaseConfig } from "./knowledge-base-config.ts";
import type { KnowledgeBaseConfig } from "./knowledge-base-config.ts";
import { knowledgeCallOptionNames, toEmbedOptions } from "./knowledge-call-options.ts";
import type { KnowledgeCallOptions } from "./knowledge-call-options.ts";
import { createSearchTool } from "./search-tool.ts";
import type { SearchToolConfig } from "./search-tool.ts";

/**
 * Options of a search in a `KnowledgeBase`: the number, minimal score and filter of the results, API keys, and a
 * signal.
 */
export type KnowledgeSearchOptions = VectorSearchOptions & KnowledgeCallOptions;

const searchOptions = { ...knowledgeCallOptionNames, topK: true, minScore: true, filter: true } satisfies Record<
  keyof KnowledgeSearchOptions,
  true
>;

/**
 * Documents for agents to search: added as text, found by meaning. They are kept in a collection of a vector store. In a
 * store without collections they are marked by a field of their metadata, `troupe_collection`.
 */
export class KnowledgeBase {
  readonly name: string;
  readonly #documents: VectorStore;
  readonly #embeddings: EmbeddingProvider | undefined;
  readonly #batches: Pick<AddDocumentsSettings, "batchSize" | "concurrency">;
  #closed = false;

  constructor(config: KnowledgeBaseConfig) {
    const {
      name,
      vectorStore,
      collection = name,
      embeddings,
      batchSize,
      concurrency,
    } = readKnowledgeBaseConfig(config);
    this.name = name;
    this.#embeddings = embeddings ?? vectorStore.embeddings;
    this.#documents =
      vectorStore.collection?.(collection) ??
      new FieldCollection(vectorStore, { name: collection, embeddings: this.#embeddings });
    this.#batches = { batchSize, concurrency };
  }

  /** Calls the store once, so that a store that cannot be reached is noticed now. Optional. */
  async initialize(): Promise<void> {
    this.#checkOpen();
    await this.#documents.get("initialize");
  }

  /** Stores a document, replacing the one with its id. A document with an embedding is not embedded. */
  async add(document: VectorDocument, call: KnowledgeCallOptions = {}): Promise<void> {
    await addDocument(document, this.#addPlan(call));
  }

  /**
   * Stores documents, replacing those with their ids; of several with one id the last counts. Rejects with an
   * `AddDocumentsError` that lists the documents that could not be stored.
   */
  async addDocuments(documents: readonly VectorDocument[], call: KnowledgeCallOptions = {}): Promise<void> {
    await addDocuments(documents, this.#addPlan(call));
  }

  /** Finds the documents nearest to a text or to a vector, best first. */
  async search(query: string | readonly number[], options: KnowledgeSearchOptions = {}): Promise<VectorSearchResult[]> {
    this.#checkOpen();
    checkOptionNames(searchOptions, options, { owner: "a search" });
    // Before the embedding: bad options cost nothing.
    const checked = checkSearchOptions(options);
    const vector = typeof query === "string" ? await this.#embed(query, options) : query;
    return await untilAborted(() => this.#documents.search(vector, checked), options.signal);
  }

  /** Returns the document with its embedding, or `null`. */
  async get(id: string): Promise<VectorDocument | null> {
    return await this.#documents.get(id);
  }

  /** Removes the document. Removing an absent one is not an error. */
  async delete(id: string): Promise<void> {
    await this.#documents.delete(id);
  }

  /** Removes all documents of this knowledge base, and no others. */
  async clear(): Promise<void> {
    await this.#documents.clear();
  }

  /** Closes this knowledge base. The store stays open: its creator closes it. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#documents.close();
  }

  /** Creates a tool that searches this knowledge base, with the run's API key for the vendor of the embeddings. */
  asTool(config: SearchToolConfig = {}): ToolDef {
    const search = async (query: string, options: KnowledgeSearchOptions) => await this.search(query, options);
    return createSearchTool({ name: this.name, providerId: this.#embeddings?.providerId, search }, config);
  }

  async #embed(query: string, call: KnowledgeCallOptions): Promise<number[]> {
    const embeddings = requireEmbeddings(this.#embeddings);
    return await embedText(embeddings, query, toEmbedOptions(embeddings, call));
  }

  #addPlan(call: KnowledgeCallOptions): AddDocumentsSettings {
    this.#checkOpen();
    checkOptionNames(knowledgeCallOptionNames, call, { owner: "adding documents" });
    const embedOptions = toEmbedOptions(this.#embeddings, call);
    return { store: this.#documents, embeddings: this.#embeddings, embedOptions, ...this.#batches };
  }

  #checkOpen(): void {
    if (!this.#closed) return;
    throw new TroupeError("storage_unavailable", `The knowledge base ${JSON.stringify(this.name)} has been closed.`);
  }
}
