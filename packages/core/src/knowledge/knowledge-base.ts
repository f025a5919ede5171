import { checkOptionNames } from "../errors/check-option-names.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import { untilAborted } from "../async/until-aborted.ts";
import type { ToolDef } from "../tool/tool.ts";
import type { EmbeddingProvider } from "../vector/embedding-provider.ts";
import type { VectorDocument, VectorSearchOptions, VectorSearchResult, VectorStore } from "../vector/vector-store.ts";
import { addDocument, addDocuments } from "./add-documents.ts";
import type { AddPlan } from "./add-documents.ts";
import { embedText, requireEmbeddings } from "./embed-texts.ts";
import { FieldCollection } from "./field-collection.ts";
import { checkKnowledgeBaseConfig } from "./knowledge-base-config.ts";
import type { KnowledgeBaseConfig } from "./knowledge-base-config.ts";
import { callOptions, toEmbedOptions } from "./knowledge-call.ts";
import type { KnowledgeCall } from "./knowledge-call.ts";
import { createSearchTool } from "./search-tool.ts";
import type { SearchToolConfig } from "./search-tool.ts";
import { narrowSearch } from "./narrow-search.ts";

/** Narrows a search, and says whose key it uses and when to give up. */
export type KnowledgeSearchOptions = VectorSearchOptions & KnowledgeCall;

/**
 * Documents that agents look things up in: added as text, found by meaning. It lives in a collection of a vector store,
 * and knows of no document outside it. In a store without collections it marks its documents with a field of their
 * metadata, `troupe_collection`.
 */
export class KnowledgeBase {
  readonly name: string;
  readonly #documents: VectorStore;
  readonly #embeddings: EmbeddingProvider | undefined;
  readonly #atOnce: Pick<AddPlan, "batchSize" | "concurrency">;
  #closed = false;

  constructor(config: KnowledgeBaseConfig) {
    checkKnowledgeBaseConfig(config);
    const { name, vectorStore, collection = name, batchSize = 100, concurrency = 4 } = config;
    this.name = name;
    this.#embeddings = config.embeddings ?? vectorStore.embeddings;
    this.#documents =
      vectorStore.collection?.(collection) ??
      new FieldCollection(vectorStore, { name: collection, embeddings: this.#embeddings });
    this.#atOnce = { batchSize, concurrency };
  }

  /** Reaches the store once, so that one which cannot be reached is noticed now. Everything works without it. */
  async initialize(): Promise<void> {
    this.#checkOpen();
    await this.#documents.get("initialize");
  }

  /** Stores a document, replacing the one with its id. One that brings an embedding is not embedded. */
  async add(document: VectorDocument, call: KnowledgeCall = {}): Promise<void> {
    await addDocument(document, this.#addPlan(call));
  }

  /**
   * Stores documents, replacing those with their ids; of several with one id the last counts. When not all could be stored,
   * it rejects with an `AddDocumentsError` that lists those which are not.
   */
  async addDocuments(documents: readonly VectorDocument[], call: KnowledgeCall = {}): Promise<void> {
    await addDocuments(documents, this.#addPlan(call));
  }

  /** Finds the documents nearest to a text or to a vector, best first. */
  async search(query: string | readonly number[], options: KnowledgeSearchOptions = {}): Promise<VectorSearchResult[]> {
    this.#checkOpen();
    checkOptionNames(options, [...callOptions, "topK", "minScore", "filter"], "a search");
    // Refused before an embedding is paid for.
    const narrowed = narrowSearch(options);
    const vector = typeof query === "string" ? await this.#embed(query, options) : query;
    return await untilAborted(() => this.#documents.search(vector, narrowed), options.signal);
  }

  /** Returns the document with its embedding, or `null`. */
  async get(id: string): Promise<VectorDocument | null> {
    return await this.#documents.get(id);
  }

  /** Removes the document. Removing an absent one is not an error. */
  async delete(id: string): Promise<void> {
    await this.#documents.delete(id);
  }

  /** Removes all documents of this knowledge base, and of no other. */
  async clear(): Promise<void> {
    await this.#documents.clear();
  }

  /** Ends this knowledge base. The store stays open, for others may use it: whoever made it closes it. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#documents.close();
  }

  /** A tool that searches this knowledge base with the key that the run has for the vendor of the embeddings. */
  asTool(config: SearchToolConfig = {}): ToolDef {
    const search = async (query: string, options: KnowledgeSearchOptions) => await this.search(query, options);
    return createSearchTool({ name: this.name, providerId: this.#embeddings?.providerId, search }, config);
  }

  async #embed(query: string, call: KnowledgeCall): Promise<number[]> {
    const embeddings = requireEmbeddings(this.#embeddings);
    return await embedText(embeddings, query, toEmbedOptions(embeddings, call));
  }

  #addPlan(call: KnowledgeCall): AddPlan {
    this.#checkOpen();
    checkOptionNames(call, callOptions, "adding documents");
    const embedOptions = toEmbedOptions(this.#embeddings, call);
    return { store: this.#documents, embeddings: this.#embeddings, embedOptions, ...this.#atOnce };
  }

  #checkOpen(): void {
    if (!this.#closed) return;
    throw new TroupeError("storage_unavailable", `The knowledge base ${JSON.stringify(this.name)} has been closed.`);
  }
}
