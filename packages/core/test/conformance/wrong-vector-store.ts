import { InMemoryVectorStore } from "../../src/knowledge/vector/in-memory-vector-store.ts";
import type {
  VectorDocument,
  VectorSearchOptions,
  VectorSearchResult,
  VectorStore,
} from "../../src/knowledge/vector/vector-store.ts";
import { altered } from "./altered.ts";

/** A store with all optional members. */
export type WholeVectorStore = VectorStore &
  Required<Omit<VectorStore, "embeddings" | "searchText" | "hasTextIndex" | "createTextIndex">>;

/** Returns the correct store for vectors of two numbers with some members replaced. */
export function storeBut(change: (right: WholeVectorStore) => Partial<WholeVectorStore>): WholeVectorStore {
  return altered<WholeVectorStore>(new InMemoryVectorStore({ dimensions: 2 }), change);
}

/** Returns a store that stores other documents. */
export function keeping(change: (document: VectorDocument) => VectorDocument): WholeVectorStore {
  return storeBut((right) => ({ upsert: async (document) => await right.upsert(change(document)) }));
}

/** Returns a store that returns other results. */
export function finding(change: (found: VectorSearchResult[]) => VectorSearchResult[]): WholeVectorStore {
  return storeBut((right) => ({ search: async (...args) => change(await right.search(...args)) }));
}

/** Returns a store that searches with other options. */
export function searching(change: (options: VectorSearchOptions) => VectorSearchOptions): WholeVectorStore {
  return storeBut((right) => ({
    search: async (embedding, options = {}) => await right.search(embedding, change(options)),
  }));
}

/** Returns a store that filters results by its own rule. */
export function filtering(fits: (metadata: object, filter: Record<string, unknown>) => boolean): WholeVectorStore {
  return storeBut((right) => ({
    search: async (embedding, { filter = {}, topK = 10, ...rest } = {}) => {
      const found = await right.search(embedding, { topK: 10_000, ...rest });
      return found.filter(({ document }) => fits(document.metadata ?? {}, filter)).slice(0, topK);
    },
  }));
}
