import { InMemoryVectorStore } from "../../src/vector/in-memory-vector-store.ts";
import type {
  VectorDocument,
  VectorSearchOptions,
  VectorSearchResult,
  VectorStore,
} from "../../src/vector/vector-store.ts";
import { altered } from "./altered.ts";

/** Every store of ours has all members. */
export type WholeVectorStore = Required<VectorStore>;

/** The right store for vectors of two numbers, but for some members. */
export function storeBut(change: (right: WholeVectorStore) => Partial<WholeVectorStore>): WholeVectorStore {
  return altered<WholeVectorStore>(new InMemoryVectorStore({ dimensions: 2 }), change);
}

/** A store that keeps something else than it is given. */
export function keeping(change: (document: VectorDocument) => VectorDocument): WholeVectorStore {
  return storeBut((right) => ({ upsert: async (document) => await right.upsert(change(document)) }));
}

/** A store that finds something else. */
export function finding(change: (found: VectorSearchResult[]) => VectorSearchResult[]): WholeVectorStore {
  return storeBut((right) => ({ search: async (...args) => change(await right.search(...args)) }));
}

/** A store that searches for something else. */
export function searching(change: (options: VectorSearchOptions) => VectorSearchOptions): WholeVectorStore {
  return storeBut((right) => ({
    search: async (embedding, options = {}) => await right.search(embedding, change(options)),
  }));
}

/** A store that filters what it has found by a rule of its own. */
export function filtering(fits: (metadata: object, filter: Record<string, unknown>) => boolean): WholeVectorStore {
  return storeBut((right) => ({
    search: async (embedding, { filter = {}, topK = 10, ...rest } = {}) => {
      const found = await right.search(embedding, { topK: 10_000, ...rest });
      return found.filter(({ document }) => fits(document.metadata ?? {}, filter)).slice(0, topK);
    },
  }));
}
