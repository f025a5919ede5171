import { assert, rejectsWith } from "./assert.ts";
import type { VectorStoreWithCollections } from "./vector-optional-cases.ts";
import type { ConformanceCases } from "./check-conformance.ts";
import { at, fill } from "./vector-documents.ts";
import type { VectorListOptions, VectorStore } from "../../knowledge/vector/vector-store.ts";

/** A `VectorStore` with the optional methods `list` and `collection`: subject of `vectorListCases`. */
export type ListingVectorStore = VectorStoreWithCollections & Required<Pick<VectorStore, "list">>;

type Listing = Required<Pick<VectorStore, "list">>;

async function listAll(store: Listing, options: VectorListOptions = {}) {
  const documents = [];
  for (let after: string | undefined, pages = 0; pages < 100; pages++) {
    const page = await store.list({ ...options, after });
    assert.ok(page.documents.length <= (options.limit ?? 1000), "expected a page within its limit");
    documents.push(...page.documents);
    if (page.next === undefined) return documents.toSorted((one, other) => (one.id < other.id ? -1 : 1));
    after = page.next;
  }
  throw new Error("The list has no end.");
}

const idsOf = async (store: Listing, options?: VectorListOptions) =>
  (await listAll(store, options)).map(({ id }) => id);

/**
 * Conformance suite for a `VectorStore` with `list` and `collection`. The subject is made as for `vectorStoreCases`.
 */
export const vectorListCases = {
  "lists ids and metadata, and neither content nor vectors": async (store) => {
    assert.deepEqual(await store.list(), { documents: [] });
    await fill(store, at("b", [1, 0]), at("a", [0, 1], { deep: { list: [1, null] } }));

    assert.deepEqual(await listAll(store), [{ id: "a", metadata: { deep: { list: [1, null] } } }, { id: "b" }]);
  },
  "lists each document once over all pages": async (store) => {
    const ids = Array.from({ length: 7 }, (_, index) => `d${index}`);
    for (const id of ids) await store.upsert(at(id, [1, 0]));

    for (const limit of [1, 2, 7, 10]) assert.deepEqual(await idsOf(store, { limit }), ids, `limit ${limit}`);
  },
  "lists the ids with a prefix, of which every character counts": async (store) => {
    const ids = ["a", "a/b", "a/c", "A/b", "a%", "a_", "a😀", "a/", "b"];
    for (const id of ids) await store.upsert(at(id, [1, 0]));

    for (const prefix of ["a/", "a%", "a_", "a😀", "x", "A"]) {
      const expected = ids.filter((id) => id.startsWith(prefix)).toSorted();
      for (const limit of [1, 100]) assert.deepEqual(await idsOf(store, { prefix, limit }), expected, prefix);
    }
  },
  "lists the documents of a collection only there": async (store) => {
    const collection = store.collection("c") as VectorStore & Listing;
    await fill(store, at("a", [1, 0]));
    await fill(collection, at("b", [1, 0]));

    assert.deepEqual(await idsOf(store), ["a"]);
    assert.deepEqual(await idsOf(collection), ["b"]);
  },
  "refuses an invalid limit or prefix": async (store) => {
    for (const limit of [0, -1, 1.5, NaN, 10_001]) await rejectsWith(store.list({ limit }), "invalid_value");
    for (const prefix of ["a\0b", "\ud800"]) await rejectsWith(store.list({ prefix }), "invalid_value");
  },
} satisfies ConformanceCases<ListingVectorStore>;
