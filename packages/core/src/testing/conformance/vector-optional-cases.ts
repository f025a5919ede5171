import { assert, rejectsWith } from "./assert.ts";
import type { VectorStore } from "../../vector/vector-store.ts";
import type { ConformanceCases } from "./check-conformance.ts";
import { at, eastIds, fill } from "./vector-documents.ts";

/** A `VectorStore` with the optional member `collection`: subject of `vectorCollectionCases`. */
export type VectorStoreWithCollections = VectorStore & Required<Pick<VectorStore, "collection">>;

/** Conformance suite for a `VectorStore` with `collection`. The subject is the one of `vectorStoreCases`. */
export const vectorCollectionCases = {
  "shows the documents of a collection only there": async (store) => {
    await store.collection("one").upsert(at("a", [1, 0]));

    assert.equal(await store.get("a"), null);
    assert.deepEqual(await eastIds(store), []);
    assert.deepEqual(await eastIds(store.collection("other")), []);
    assert.deepEqual(await eastIds(store.collection("one")), ["a"]);
  },
  "keeps equal ids of different collections apart": async (store) => {
    await store.upsert(at("a", [1, 0], { in: "store" }));
    await store.collection("one").upsert(at("a", [0, 1], { in: "one" }));
    await store.collection("two").upsert(at("a", [0, 1], { in: "two" }));
    await store.collection("two").delete("a");

    assert.deepEqual((await store.get("a"))?.metadata, { in: "store" });
    assert.deepEqual((await store.collection("one").get("a"))?.metadata, { in: "one" });
  },
  "searches, filters and deletes in a second collection as in the first": async (store) => {
    const [one, two] = [store.collection("one"), store.collection("two")];
    for (const collection of [one, two]) await fill(collection, at("a", [1, 0]), at("b", [0, 1], { tag: "x" }));
    await one.delete("a");
    await two.upsert(at("c", [1, 0], { tag: "x" }));

    assert.deepEqual(await eastIds(one), ["b"]);
    assert.deepEqual(await eastIds(two), ["a", "c", "b"]);
    assert.deepEqual(await eastIds(one, { filter: { tag: "x" } }), ["b"]);
    assert.deepEqual(await eastIds(two, { filter: { tag: "x" } }), ["c", "b"]);
    assert.deepEqual(await eastIds(two, { topK: 2, minScore: 0.5 }), ["a", "c"]);
  },
  "returns a view of the same documents for the same name": async (store) => {
    const [first, second] = [store.collection("c"), store.collection("c")];
    await first.upsert(at("a", [1, 0]));

    assert.equal((await second.get("a"))?.id, "a");
  },
  "distinguishes names of collections by every character": async (store) => {
    const names = [
      "a",
      "A",
      "a ",
      "a-b",
      "a_b",
      "a.b",
      "a/b",
      "__proto__",
      "constructor",
      "a;--",
      'a"b',
      "x".repeat(200),
    ];
    for (const name of names) await store.collection(name).upsert(at(name, [1, 0]));

    for (const name of names) assert.deepEqual(await eastIds(store.collection(name)), [name], name);
  },
  "clears the store and leaves its collections": async (store) => {
    await fill(store.collection("c"), at("a", [1, 0]));
    await store.clear();

    assert.deepEqual(await eastIds(store.collection("c")), ["a"]);
  },
  "clears a collection and leaves the rest": async (store) => {
    await store.upsert(at("a", [1, 0]));
    await store.collection("one").upsert(at("b", [1, 0]));
    await store.collection("two").upsert(at("c", [1, 0]));
    await store.collection("one").clear();

    assert.deepEqual(await eastIds(store), ["a"]);
    assert.deepEqual(await eastIds(store.collection("one")), []);
    assert.deepEqual(await eastIds(store.collection("two")), ["c"]);
  },
  "closes a view without its store": async (store) => {
    const [first, second] = [store.collection("c"), store.collection("c")];
    await first.upsert(at("a", [1, 0]));
    await first.close();

    await rejectsWith(first.get("a"), "storage_unavailable");
    assert.equal((await second.get("a"))?.id, "a");
    assert.deepEqual(await eastIds(store), []);
  },
  "closes all views with the store": async (store) => {
    const view = store.collection("c");
    await view.upsert(at("a", [1, 0]));
    await store.close();

    await rejectsWith(view.get("a"), "storage_unavailable");
  },
  "refuses a name of a collection that storage would refuse as a key": async (store) => {
    for (const name of ["", "a\0b", "\ud800", "x".repeat(1025), undefined] as string[])
      assert.throws(() => store.collection(name), { code: "invalid_value" });
  },
} satisfies ConformanceCases<VectorStoreWithCollections>;

/** Conformance suite for a `VectorStore` that embeds documents itself. */
export const vectorEmbeddingsCases = {
  "exposes the embeddings that it was given": async ({ store, embed }) => {
    assert.deepEqual(await store.embeddings?.embed("rain in Oslo"), await embed("rain in Oslo"));
  },
  "embeds a document that has no embedding": async ({ store, embed }) => {
    await store.upsert({ id: "a", content: "rain in Oslo" });

    assert.deepEqual((await store.get("a"))?.embedding, (await embed("rain in Oslo")).map(Math.fround));
  },
  "embeds the content of a document again when it is stored a second time": async ({ store, embed }) => {
    for (const content of ["rain in Oslo", "north", "snow in Bergen"]) {
      await store.upsert({ id: "a", content });
      assert.deepEqual((await store.get("a"))?.embedding, (await embed(content)).map(Math.fround));
    }
  },
  "keeps the embedding of a document that has one": async ({ store, embed }) => {
    const embedding = (await embed("something else")).map(Math.fround);
    await store.upsert({ id: "a", content: "rain in Oslo", embedding });

    assert.deepEqual((await store.get("a"))?.embedding, embedding);
  },
  "stores the document as it was before it was embedded": async ({ store }) => {
    const document = { id: "a", content: "rain in Oslo", metadata: { list: [1] } };
    const stored = store.upsert(document);
    document.content = "changed";
    document.metadata.list.push(2);
    await stored;

    const { content, metadata } = (await store.get("a")) ?? {};
    assert.deepEqual({ content, metadata }, { content: "rain in Oslo", metadata: { list: [1] } });
  },
} satisfies ConformanceCases<EmbeddingVectorStore>;

/** Subject of `vectorEmbeddingsCases`: an empty store with `embeddings`, and a function that returns their vectors. */
export type EmbeddingVectorStore = { store: VectorStore; embed: (text: string) => Promise<number[]> };
