import { FakeEmbeddings } from "../../src/testing/fake-embeddings.ts";
import { InMemoryVectorStore } from "../../src/vector/in-memory-vector-store.ts";
import type { VectorStore } from "../../src/vector/vector-store.ts";
import type { vectorCollectionCases } from "../../src/testing/conformance/vector-collection-cases.ts";
import type {
  EmbeddingVectorStore,
  vectorEmbeddingsCases,
} from "../../src/testing/conformance/vector-embeddings-cases.ts";
import { altered } from "./altered.ts";
import type { WrongSubjects } from "./check-wrong-subjects.ts";
import { meanwhile } from "./wrong-storage.ts";
import { storeBut } from "./wrong-vector-store.ts";
import type { WholeVectorStore } from "./wrong-vector-store.ts";
import { without } from "./without.ts";

/** Stores whose collections are wrong. */
export const wrongVectorCollections = {
  "shows nothing of a collection outside": () => storeBut((right) => ({ collection: () => right })),
  "keeps equal ids of different collections apart": () => renamingCollections(() => "all"),
  "gives a view of the same documents for the same name": () =>
    storeBut(() => ({ collection: () => new InMemoryVectorStore({ dimensions: 2 }) })),
  "tells names of collections apart by every character": () =>
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
  "closes a view alone": () => viewing((_view, right) => ({ close: async () => await right.close() })),
  "closes all views with the store": () => storeBut(() => ({ close: async () => {} })),
  "refuses a name of a collection that storage would refuse as a key": () =>
    renamingCollections((name) => name.replaceAll("\0", "") || "default"),
} satisfies WrongSubjects<WholeVectorStore, typeof vectorCollectionCases>;

/** Stores that use their embeddings wrongly. */
export const wrongVectorEmbeddings = {
  "shows the embeddings that it was given": () => embedding(() => ({ embeddings: undefined })),
  "makes the embedding of a document that comes without": () =>
    embedding((right) => ({ upsert: async (document) => await right.upsert({ ...document, content: "?" }) })),
  "leaves an embedding alone that a document comes with": () =>
    embedding((right) => ({
      upsert: async (document) => await right.upsert(without(document, "embedding")),
    })),
  "stores the document as it was before its embedding was made": () =>
    embedding((right) => ({
      upsert: async (document) => {
        await meanwhile();
        await right.upsert(document);
      },
    })),
} satisfies WrongSubjects<EmbeddingVectorStore, typeof vectorEmbeddingsCases>;

/** A store that was given embeddings, but for some members. */
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
