import { TroupeError } from "../base/errors/troupe-error.ts";
import { mapBounded } from "../base/async/map-bounded.ts";
import { encodeKey } from "../sessions/storage/encode-key.ts";
import { keyProblem } from "../base/util/key-problem.ts";
import { checkVectorName, toRecord } from "./vector/check-document.ts";
import type { EmbeddingProvider } from "./vector/embedding-provider.ts";
import { toDeletingFilter } from "./vector/database-vector-store.ts";
import type {
  TextSearchOptions,
  VectorChange,
  VectorDocument,
  VectorListOptions,
  VectorListPage,
  VectorSearchOptions,
  VectorSearchResult,
  VectorStore,
} from "./vector/vector-store.ts";
import { checkSearchOptions } from "./vector/read-search-options.ts";

/** The reserved metadata field for the name of the collection. */
const nameField = "troupe_collection";

/** The maximum number of documents that `clear` finds with one search. */
const clearedAtOnce = 1000;

/**
 * A collection within a store without collections. Each document has the collection's name before its id and in its
 * metadata, which every search filters by; callers see neither. Closing the collection does not change the store.
 *
 * Clearing takes one deletion for each document and one search for each thousand. A search needs a vector of the
 * documents' length: the length is known from a document, from the embeddings, or from one call to the embeddings.
 */
export class FieldCollection implements VectorStore {
  /**
   * An optional method is defined only if the store defines it. `rememberModel` is not defined, because the model name
   * that a store remembers applies to all its documents, not only to the documents of this collection.
   */
  readonly initialize?: () => Promise<void>;
  readonly write?: (change: VectorChange) => Promise<void>;
  readonly searchText?: (query: string, options?: TextSearchOptions) => Promise<VectorSearchResult[]>;
  readonly hasTextIndex?: () => Promise<boolean>;
  readonly list?: (options?: VectorListOptions) => Promise<VectorListPage>;
  readonly #store: VectorStore;
  readonly #name: string;
  readonly #idPrefix: string;
  readonly #embeddings: EmbeddingProvider | undefined;
  #dimensions: number | undefined;
  #closed = false;

  constructor(store: VectorStore, { name, embeddings }: { name: string; embeddings?: EmbeddingProvider | undefined }) {
    checkVectorName("collection name", name);
    this.#store = store;
    this.#name = name;
    this.#idPrefix = `${encodeKey(name)}/`;
    this.#embeddings = embeddings;
    this.#dimensions = embeddings?.dimensions;
    if (store.initialize !== undefined) this.initialize = async () => await this.#initialize();
    if (store.write !== undefined) this.write = async (change) => await this.#write(change);
    if (store.searchText !== undefined) {
      this.searchText = async (query, options) => await this.#searchText(query, options);
      this.hasTextIndex = async () => store.hasTextIndex === undefined || (await store.hasTextIndex());
    }
    if (store.list !== undefined) this.list = async (options) => await this.#list(options);
  }

  async upsert(document: VectorDocument): Promise<void> {
    this.#checkOpen();
    const dimensions = document.embedding?.length;
    await this.#store.upsert(this.#toStored(document));
    this.#dimensions = dimensions ?? this.#dimensions;
  }

  async search(embedding: readonly number[], options: VectorSearchOptions = {}): Promise<VectorSearchResult[]> {
    this.#checkOpen();
    const checked = checkSearchOptions(options);
    const filter = this.#marked("filter", checked.filter);
    const found = await this.#store.search(embedding, { ...checked, filter });
    if (found.length > 0) this.#dimensions = embedding.length;
    return found.flatMap(({ document, score }) => this.#toOwn(document).map((own) => ({ document: own, score })));
  }

  async get(id: string): Promise<VectorDocument | null> {
    this.#checkOpen();
    const stored = await this.#store.get(this.#storedId(id));
    this.#dimensions = stored?.embedding?.length ?? this.#dimensions;
    const [document = null] = stored === null ? [] : this.#toOwn(stored);
    return document;
  }

  async delete(id: string): Promise<void> {
    this.#checkOpen();
    await this.#store.delete(this.#storedId(id));
  }

  async clear(): Promise<void> {
    this.#checkOpen();
    const options = { topK: clearedAtOnce, filter: this.#marked("filter", {}) };
    const anywhere = await this.#anyDirection();
    let deleted = new Set<string>();
    for (;;) {
      const found = await this.#store.search(anywhere, options);
      // A store may ignore the filter, so only documents of this collection are deleted.
      const ids = found.map(({ document }) => document.id).filter((id) => id.startsWith(this.#idPrefix));
      if (ids.length === 0) return;
      if (ids.every((id) => deleted.has(id))) {
        throw new TroupeError("storage_unavailable", "The vector store still finds documents that it has deleted.");
      }
      await mapBounded(ids, async (id) => await this.#store.delete(id));
      deleted = new Set(ids);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  async #initialize(): Promise<void> {
    this.#checkOpen();
    await this.#store.initialize?.();
  }

  async #write({ upsert = [], delete: ids = [], deleteWhere }: VectorChange): Promise<void> {
    this.#checkOpen();
    const dimensions = upsert.at(-1)?.embedding?.length;
    const where = deleteWhere && { deleteWhere: this.#marked("filter", toDeletingFilter(deleteWhere)) };
    await this.#store.write?.({
      upsert: upsert.map((document) => this.#toStored(document)),
      delete: ids.map((id) => this.#storedId(id)),
      ...where,
    });
    this.#dimensions = dimensions ?? this.#dimensions;
  }

  async #searchText(query: string, { topK, filter }: TextSearchOptions = {}): Promise<VectorSearchResult[]> {
    this.#checkOpen();
    const marked = this.#marked("filter", checkSearchOptions({ topK, filter }).filter);
    const found = (await this.#store.searchText?.(query, { topK, filter: marked })) ?? [];
    return found.flatMap(({ document, score }) => this.#toOwn(document).map((own) => ({ document: own, score })));
  }

  async #list({ prefix = "", ...options }: VectorListOptions = {}): Promise<VectorListPage> {
    this.#checkOpen();
    const page = await this.#store.list?.({ ...options, prefix: this.#idPrefix + prefix });
    const documents = (page?.documents ?? []).flatMap((head) =>
      this.#toOwn({ ...head, content: "" }).map(({ id, metadata }) => ({
        id,
        ...(metadata !== undefined && { metadata }),
      })),
    );
    return { documents, ...(page?.next !== undefined && { next: page.next }) };
  }

  /**
   * Returns an arbitrary vector with the length of the store's vectors. Without a `minScore`, a search with it finds
   * every document.
   */
  async #anyDirection(): Promise<number[]> {
    this.#dimensions ??= (await this.#embeddings?.embed("text"))?.length;
    if (this.#dimensions !== undefined) return Array.from({ length: this.#dimensions }, () => 1);
    const message =
      "The length of the vectors is not known, which clearing needs in a store without collections. To make it known, give `embeddings`, or add, get or find a document first.";
    throw new TroupeError("invalid_config", message);
  }

  #toStored(document: VectorDocument): VectorDocument {
    const metadata = this.#marked("metadata", toRecord("metadata", document.metadata ?? {}));
    return { ...document, id: this.#storedId(document.id), metadata };
  }

  #storedId(id: string): string {
    checkVectorName("document id", id);
    const stored = this.#idPrefix + id;
    const problem = keyProblem(stored);
    if (problem === undefined) return stored;
    throw new TroupeError("invalid_value", `The document id, with the name of its collection before it, ${problem}.`);
  }

  #marked(kind: "metadata" | "filter", record: Record<string, unknown>): Record<string, unknown> {
    if (!Object.hasOwn(record, nameField)) return { ...record, [nameField]: this.#name };
    throw new TroupeError("invalid_value", `${kind}.${nameField} is reserved. Choose another name for the field.`);
  }

  /** Returns an array with the original document, or an empty array if it does not belong to this collection. */
  #toOwn({ id, metadata, ...rest }: VectorDocument): VectorDocument[] {
    const { [nameField]: name, ...own } = metadata ?? {};
    if (name !== this.#name || !id.startsWith(this.#idPrefix)) return [];
    const document = { ...rest, id: id.slice(this.#idPrefix.length) };
    return [Object.keys(own).length === 0 ? document : { ...document, metadata: own }];
  }

  #checkOpen(): void {
    if (this.#closed) throw new TroupeError("storage_unavailable", "This collection has been closed.");
  }
}
