import { readOptions } from "../../base/errors/read-options.ts";
import { DatabaseVectorStore, vectorStoreOptionTable } from "./database-vector-store.ts";
import type { VectorStoreOptions } from "./database-vector-store.ts";
import type {
  VectorWrite,
  VectorListQuery,
  VectorSearchQuery,
  TextSearchQuery,
  TextSearchDatabase,
  VectorDatabase,
} from "./vector-database.ts";
import type { VectorDocument, VectorListPage, VectorSearchResult } from "./vector-store.ts";
import { VectorSpace } from "./vector-space.ts";

/** The options of an `InMemoryVectorStore`. */
export type InMemoryVectorStoreOptions = VectorStoreOptions;

/**
 * A vector store in the memory of the process. A search compares every vector: it is exact, and fast enough for some
 * hundred thousand vectors. A vector of 1,536 numbers takes 6.2 KB. The first search by words indexes the words of all
 * documents.
 */
export class InMemoryVectorStore extends DatabaseVectorStore {
  constructor(options: InMemoryVectorStoreOptions = {}) {
    const checked = readOptions(vectorStoreOptionTable, options, { owner: "InMemoryVectorStore" });
    super({
      ...checked,
      name: "The in-memory vector store",
      open: async () => new MemoryDatabase(),
      searchesText: true,
    });
  }
}

class MemoryDatabase implements VectorDatabase, TextSearchDatabase {
  readonly #spaces = new Map<string, VectorSpace>();

  async write(collection: string, change: VectorWrite): Promise<void> {
    this.#space(collection).write(change);
  }

  async search(collection: string, search: VectorSearchQuery): Promise<VectorSearchResult[]> {
    return this.#spaces.get(collection)?.search(search) ?? [];
  }

  async searchText(collection: string, search: TextSearchQuery): Promise<VectorSearchResult[]> {
    return (await this.#spaces.get(collection)?.searchText(search)) ?? [];
  }

  async hasTextIndex(): Promise<boolean> {
    return true;
  }

  async createTextIndex(): Promise<void> {}

  async get(collection: string, id: string): Promise<VectorDocument | null> {
    return this.#spaces.get(collection)?.get(id) ?? null;
  }

  async list(collection: string, page: VectorListQuery): Promise<VectorListPage> {
    return this.#spaces.get(collection)?.list(page) ?? { documents: [] };
  }

  async clear(collection: string): Promise<void> {
    this.#spaces.delete(collection);
  }

  async rememberModel(collection: string, model: string): Promise<string> {
    return (this.#space(collection).model ??= model);
  }

  async close(): Promise<void> {
    this.#spaces.clear();
  }

  #space(collection: string): VectorSpace {
    const space = this.#spaces.get(collection) ?? new VectorSpace();
    this.#spaces.set(collection, space);
    return space;
  }
}
