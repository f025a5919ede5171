import type { vectorListCases } from "../../src/testing/conformance/vector-list-cases.ts";
import type { VectorListOptions, VectorListPage } from "../../src/knowledge/vector/vector-store.ts";
import type { WrongSubjects } from "./check-wrong-subjects.ts";
import { storeBut } from "./wrong-vector-store.ts";
import type { WholeVectorStore } from "./wrong-vector-store.ts";

/** Stores with mistakes in lists. */
export const wrongVectorLists = {
  "lists ids and metadata, and neither content nor vectors": () =>
    listing((page) => ({ ...page, documents: page.documents.map((head) => ({ ...head, content: "" })) })),
  "lists each document once over all pages": () =>
    listing((page, { limit = 1000 }) => (page.documents.length < limit ? page : { documents: page.documents })),
  "lists the ids with a prefix, of which every character counts": () =>
    storeBut((right) => ({
      list: async ({ prefix = "", ...options } = {}) => {
        const page = await right.list(options);
        const documents = page.documents.filter(({ id }) => id.toLowerCase().startsWith(prefix.toLowerCase()));
        return { ...page, documents };
      },
    })),
  "lists the documents of a collection only there": () => storeBut((right) => ({ collection: () => right })),
  "refuses an invalid limit or prefix": () =>
    storeBut((right) => ({
      list: async ({ limit = 1000, ...options } = {}) =>
        await right.list({ ...options, limit: Math.min(10_000, Math.max(1, Math.round(limit) || 1)) }),
    })),
} satisfies WrongSubjects<WholeVectorStore, typeof vectorListCases>;

function listing(change: (page: VectorListPage, options: VectorListOptions) => VectorListPage): WholeVectorStore {
  return storeBut((right) => ({ list: async (options = {}) => change(await right.list(options), options) }));
}
