import { closeInOrder } from "../base/async/close-in-order.ts";
import { checkOptionNames } from "../base/errors/read-options.ts";
import { TroupeError } from "../base/errors/troupe-error.ts";
import type { Telemetry } from "../base/telemetry/telemetry.ts";
import { untilAborted } from "../base/async/until-aborted.ts";
import type { ExecutableTool } from "../agents/run/tool.ts";
import type { EmbeddingProvider } from "./vector/embedding-provider.ts";
import { checkSearchOptions } from "./vector/read-search-options.ts";
import type { VectorDocument, VectorSearchOptions, VectorStore } from "./vector/vector-store.ts";
import { addDocument, addDocuments } from "./add-documents.ts";
import type { AddDocumentsSettings } from "./add-documents.ts";
import { embedText, requireEmbeddings } from "./ask-for-vectors.ts";
import { createSplitter } from "./chunking.ts";
import { DocumentWriter } from "./document-writer.ts";
import { EmbeddingModelCheck } from "./embedding-model-check.ts";
import { FieldCollection } from "./field-collection.ts";
import { readKnowledgeBaseConfig } from "./knowledge-base-config.ts";
import type { KnowledgeBaseConfig } from "./knowledge-base-config.ts";
import { knowledgeCallOptionNames, toEmbedOptions } from "./knowledge-call-options.ts";
import type { KnowledgeCallOptions } from "./knowledge-call-options.ts";
import { observeRetrieval } from "./observe-retrieval.ts";
import { readDocument } from "./read-document.ts";
import { candidatesFor, rerankResults } from "./rerank-results.ts";
import type { Rerank } from "./rerank-results.ts";
import { withRanks } from "./join-results.ts";
import type { KnowledgeSearchResult } from "./join-results.ts";
import { checkMode, ModalSearch } from "./search-modes.ts";
import type { SearchMode } from "./search-modes.ts";
import { readSyncOptions, syncDocuments } from "./sync-documents.ts";
import type { SyncDocuments, SyncOptions, SyncResult } from "./sync-documents.ts";
import { createSearchTool } from "./search-tool.ts";
import type { SearchableKnowledge, SearchToolConfig } from "./search-tool.ts";

/**
 * Options of a search in a `KnowledgeBase`: the number, minimum score and filter of the results, API keys, and a
 * signal.
 */
export type KnowledgeSearchOptions = VectorSearchOptions &
  KnowledgeCallOptions & {
    /**
     * The mode of the search: by the meaning of the text (`vector`), by its words (`text`), or by both (`hybrid`). A
     * store without a text index searches by meaning. @default "hybrid", or "vector" with a `minScore`
     */
    mode?: SearchMode | undefined;
    /** The number of best results to skip, for the next page of a list. @default 0 */
    offset?: number | undefined;
  };

type CheckedSearch = ReturnType<typeof checkSearchOptions>;

const searchOptions = {
  ...knowledgeCallOptionNames,
  topK: true,
  minScore: true,
  filter: true,
  mode: true,
  offset: true,
} satisfies Record<keyof KnowledgeSearchOptions, true>;

/**
 * Documents for agents to search: added as text and found by meaning. They are stored in a collection of a vector
 * store. In a store without collections they are marked by the metadata field `troupe_collection`.
 *
 * Long documents are split, and a search finds their pieces: a result with the id `<id>#<n>` and the text of the piece.
 * Its metadata has `documentId`, and `start` and `end` as offsets in UTF-16 code units of the content.
 */
export class KnowledgeBase {
  readonly name: string;
  readonly #store: VectorStore;
  readonly #ownsStore: boolean;
  readonly #documents: VectorStore;
  readonly #embeddings: EmbeddingProvider | undefined;
  readonly #rerank: Rerank | undefined;
  readonly #modelCheck: EmbeddingModelCheck;
  readonly #search: ModalSearch;
  /** The `chunking` settings as text, with which `sync` detects that they have changed. */
  readonly #chunking: string;
  readonly #adding: Pick<AddDocumentsSettings, "batchSize" | "concurrency" | "split" | "telemetry" | "writer">;
  #closed = false;

  constructor(config: KnowledgeBaseConfig) {
    const options = readKnowledgeBaseConfig(config);
    const { name, vectorStore, collection = name, embeddings = vectorStore.embeddings } = options;
    const { chunking, batchSize, concurrency, telemetry } = options;
    this.name = name;
    this.#store = vectorStore;
    this.#ownsStore = options.ownsStore;
    this.#embeddings = embeddings;
    this.#rerank = options.rerank;
    this.#documents =
      vectorStore.collection?.(collection) ?? new FieldCollection(vectorStore, { name: collection, embeddings });
    this.#modelCheck = new EmbeddingModelCheck(this.#documents, collection);
    this.#search = new ModalSearch(this.#documents);
    this.#chunking = typeof chunking === "function" ? "function" : JSON.stringify(chunking ?? {});
    const split = createSplitter(chunking);
    const writer = new DocumentWriter(this.#documents, { hasPieces: split !== undefined });
    this.#adding = { batchSize, concurrency, split, telemetry, writer };
  }

  /** Prepares the store, so that an unreachable store is detected early. Calling it is optional. */
  async initialize(): Promise<void> {
    this.#checkOpen();
    if (this.#documents.initialize === undefined) await this.#documents.get("initialize");
    else await this.#documents.initialize();
  }

  /**
   * Stores a document, or the pieces of a long document, replacing any document with its id. A document with an
   * embedding is stored whole and not embedded.
   */
  async add(document: VectorDocument, call: KnowledgeCallOptions = {}): Promise<void> {
    await addDocument(document, this.#addPlan(call));
  }

  /**
   * Stores documents, replacing the stored documents with their ids. If several of the given documents share an id, the
   * last is stored. Rejects with an `AddDocumentsError` that lists the documents that could not be stored.
   */
  async addDocuments(documents: readonly VectorDocument[], call: KnowledgeCallOptions = {}): Promise<void> {
    await addDocuments(documents, this.#addPlan(call));
  }

  /**
   * Makes the stored documents of a prefix equal to the given documents. A document is read only if it may have
   * changed, embedded only if it has changed, and deleted if it is no longer given. Documents that were added in
   * another way stay. After a failure, the next call continues. The vector store needs `list`.
   */
  async sync(documents: SyncDocuments, options: SyncOptions = {}): Promise<SyncResult> {
    const checked = readSyncOptions(options);
    const { apiKey, apiKeys, signal } = options;
    const plan = this.#addPlan({ apiKey, apiKeys, signal });
    return await syncDocuments(documents, checked, { ...plan, store: this.#documents, chunking: this.#chunking });
  }

  /**
   * Finds the documents, and pieces of long documents, nearest to a text or a vector, best first. A text is searched by
   * its meaning and its words, a vector by its direction. `rerank` reorders the results for a text.
   */
  async search(
    query: string | readonly number[],
    options: KnowledgeSearchOptions = {},
  ): Promise<KnowledgeSearchResult[]> {
    return await this.#find(query, options, this.#adding.telemetry);
  }

  /**
   * Returns the document with its embedding, or `null`. A document stored in pieces is returned whole, without an
   * embedding. Returns `null` for the id of a piece, unless `chunking` is `false`: then every stored record counts as a
   * document.
   */
  async get(id: string): Promise<VectorDocument | null> {
    this.#checkOpen();
    return this.#adding.split === undefined ? await this.#documents.get(id) : await readDocument(this.#documents, id);
  }

  /** Removes the document with all of its pieces. Removing an absent document is not an error. */
  async delete(id: string): Promise<void> {
    this.#checkOpen();
    await this.#adding.writer.delete(id);
  }

  /**
   * Removes all documents of this knowledge base's collection, including the documents of other knowledge bases that
   * share it.
   */
  async clear(): Promise<void> {
    await this.#documents.clear();
    this.#modelCheck.reset();
  }

  /** Closes this knowledge base, and its store unless `ownsStore` is false. Closing twice is safe. */
  async close(): Promise<void> {
    this.#closed = true;
    await closeInOrder(
      () => this.#documents.close(),
      () => this.#ownsStore && this.#store.close(),
    );
  }

  /** Creates a tool that searches this knowledge base, with the run's API key for the vendor of the embeddings. */
  asTool(config: SearchToolConfig = {}): ExecutableTool {
    const search: SearchableKnowledge["search"] = async (query, options, telemetry) =>
      await this.#find(query, options, telemetry);
    return createSearchTool({ name: this.name, providerId: this.#embeddings?.providerId, search }, config);
  }

  async #find(
    query: string | readonly number[],
    options: KnowledgeSearchOptions,
    telemetry: Telemetry | undefined,
  ): Promise<KnowledgeSearchResult[]> {
    this.#checkOpen();
    checkOptionNames(searchOptions, options, { owner: "a search" });
    // The options are checked before the embedding, so that wrong options cost nothing.
    const offset = checkOffset(options);
    checkMode(options.mode);
    const checked = checkSearchOptions({ ...options, topK: (options.topK ?? 10) + offset });
    const search = async (): Promise<KnowledgeSearchResult[]> => {
      const found =
        typeof query === "string"
          ? await this.#searchText(query, checked, { ...options, telemetry })
          : await untilAborted(() => this.#documents.search(query, checked), options.signal);
      return found.slice(offset);
    };
    if (telemetry === undefined) return await search();
    const text = () => (typeof query === "string" ? query : undefined);
    return await observeRetrieval(telemetry, { source: this.name, topK: checked.topK, query: text }, search);
  }

  async #searchText(
    query: string,
    search: CheckedSearch,
    call: KnowledgeSearchOptions & { telemetry: Telemetry | undefined },
  ): Promise<KnowledgeSearchResult[]> {
    const { signal, telemetry } = call;
    const mode = await this.#search.modeOf(call.mode, search);
    const embed = async () => {
      const embeddings = requireEmbeddings(this.#embeddings);
      const vector = await embedText(embeddings, query, { ...toEmbedOptions(embeddings, call), telemetry });
      await this.#modelCheck.check(embeddings, signal);
      return vector;
    };
    const topK = this.#rerank === undefined ? search.topK : candidatesFor(search.topK);
    const results = await this.#search.search(mode, { query, options: { ...search, topK }, signal, embed });
    if (this.#rerank === undefined) return results;
    const reranked = await rerankResults(this.#rerank, query, { results, topK: search.topK, signal });
    return mode === "vector" ? reranked : withRanks(reranked);
  }

  #addPlan(call: KnowledgeCallOptions): AddDocumentsSettings {
    this.#checkOpen();
    checkOptionNames(knowledgeCallOptionNames, call, { owner: "adding documents" });
    const embeddings = this.#embeddings;
    const embedOptions = toEmbedOptions(embeddings, call);
    return { ...this.#adding, embeddings, embedOptions, modelCheck: this.#modelCheck };
  }

  #checkOpen(): void {
    if (!this.#closed) return;
    throw new TroupeError("storage_unavailable", `The knowledge base ${JSON.stringify(this.name)} has been closed.`);
  }
}

function checkOffset({ offset = 0 }: Pick<KnowledgeSearchOptions, "offset">): number {
  if (Number.isInteger(offset) && offset >= 0) return offset;
  throw new TroupeError("invalid_value", `offset must be an integer of at least 0, got ${offset}.`);
}
