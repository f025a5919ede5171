import { FakeEmbeddings } from "../../src/testing/fake-embeddings.ts";
import { InMemoryVectorStore } from "../../src/knowledge/vector/in-memory-vector-store.ts";
import type { VectorStore } from "../../src/knowledge/vector/vector-store.ts";
import type {
  vectorCollectionCases,
  EmbeddingVectorStore,
  vectorEmbeddingsCases,
} from "../../src/testing/conformance/vector-optional-cases.ts";
import { altered, without } from "./altered.ts";
import type { WrongSubjects } from "./check-wrong-subjects.ts";
import { meanwhile } from "./wrong-storage.ts";
import { storeBut } from "./wrong-vector-store.ts";
import type { WholeVectorStore } from "./wrong-vector-store.ts";

/** Stores with mistakes in collections. */
export const wrongVectorCollections = {
  "shows the documents of a collection only there": () => storeBut((right) => ({ collection: () => right })),
  "keeps equal ids of different collections apart": () => renamingCollections(() => "all"),
  "searches, filters and deletes in a second collection as in the first": () => {
    let collections = 0;
    return storeBut((right) => ({
      collection: (name) => {
        collections += 1;
        if (collections === 1) return right.collection(name);
        return altered<VectorStore>(right.collection(name), (view) => ({
          search: async (vector, options = {}) => await view.search(vector, without(options, "filter")),
        }));
      },
    }));
  },
  "returns a view of the same documents for the same name": () =>
    storeBut(() => ({ collection: () => new InMemoryVectorStore({ dimensions: 2 }) })),
  "distinguishes names of collections by every character": () =>
    renamingCollections((name) => name.toLowerCase().replaceAll(/\W/g, "_")),
  "clears the store and leaves its collections": () =>
    storeBut((right) => ({
      clear: async () => {
        await right.clear();
        await right.collection("c").clear();
      },
    })),
  "clears a collection and leaves the rest": () =>
    viewing((view, right) => ({
      clear: async () => {
        await view.clear();
        await right.clear();
      },
    })),
  "closes a view without its store": () => viewing((_view, right) => ({ close: async () => await right.close() })),
  "closes all views with the store": () => storeBut(() => ({ close: async () => {} })),
  "refuses a name of a collection that storage would refuse as a key": () =>
    renamingCollections((name) => name.replaceAll("\0", "") || "default"),
} satisfies WrongSubjects<WholeVectorStore, typeof vectorCollectionCases>;

/** Stores with mistakes in embedding documents. */
export const wrongVectorEmbeddings = {
  "exposes the embeddings that it was given": () => embedding(() => ({ embeddings: undefined })),
  "embeds a document that has no embedding": () =>
    embedding((right) => ({ upsert: async (document) => await right.upsert({ ...document, content: "?" }) })),
  "embeds the content of a document again when it is stored a second time": () =>
    embedding((right) => ({
      upsert: async (document) => {
        const known = (await right.get(document.id))?.embedding;
        await right.upsert(known === undefined ? document : { ...document, embedding: known });
      },
    })),
  "keeps the embedding of a document that has one": () =>
    embedding((right) => ({
      upsert: async (document) => await right.upsert(without(document, "embedding")),
    })),
  "stores the document as it was before it was embedded": () =>
    embedding((right) => ({
      upsert: async (document) => {
        await meanwhile();
        await right.upsert(document);
      },
    })),
} satisfies WrongSubjects<EmbeddingVectorStore, typeof vectorEmbeddingsCases>;

/** Returns a store with embeddings and some members replaced. */
export function embedding(change: (right: VectorStore) => Partial<VectorStore>): EmbeddingVectorStore {
  const embeddings = new FakeEmbeddings({ dimensions: 8 });
  const store = altered<VectorStore>(new InMemoryVectorStore({ embeddings }), change);
  return { store, embed: async (text) => await embeddings.embed(text) };
}

function renamingCollections(rename: (name: string) => string): WholeVectorStore {
  return storeBut((right) => ({ collection: (name) => right.collection(rename(name)) }));
}

function viewing(change: (view: VectorStore, right: WholeVectorStore) => Partial<VectorStore>): WholeVectorStore {
  return storeBut((right) => ({
    collection: (name) => altered<VectorStore>(right.collection(name), (view) => change(view, right)),
  }));
}
