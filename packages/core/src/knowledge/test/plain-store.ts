import { InMemoryVectorStore } from "../vector/in-memory-vector-store.ts";
import type { InMemoryVectorStoreOptions } from "../vector/in-memory-vector-store.ts";
import type { VectorStore } from "../vector/vector-store.ts";

/** A store as a third party may write one: the six methods and nothing more. */
export function plainStore(options: InMemoryVectorStoreOptions = {}): VectorStore {
  return sixMethods(new InMemoryVectorStore(options));
}

/** A store without collections that changes many documents in one step. */
export function writingStore(options: InMemoryVectorStoreOptions = {}) {
  const whole = new InMemoryVectorStore(options);
  return {
    ...sixMethods(whole),
    initialize: async () => await whole.initialize(),
    write: async (change) => await whole.write(change),
  } satisfies VectorStore;
}

/** The six methods that every store has. */
export function sixMethods(whole: InMemoryVectorStore): VectorStore {
  return {
    upsert: async (document) => await whole.upsert(document),
    search: async (embedding, narrowed) => await whole.search(embedding, narrowed),
    get: async (id) => await whole.get(id),
    delete: async (id) => await whole.delete(id),
    clear: async () => await whole.clear(),
    close: async () => await whole.close(),
  };
}
