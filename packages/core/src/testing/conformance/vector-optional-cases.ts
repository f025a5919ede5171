import { sleep } from "../../base/async/sleep.ts";
import { assert, rejectsWith } from "./assert.ts";
import type { VectorStore } from "../../knowledge/vector/vector-store.ts";
import type { ConformanceCases } from "./check-conformance.ts";
import { at, eastIds, fill } from "./vector-documents.ts";

/** A `VectorStore` with the optional method `collection`: subject of `vectorCollectionCases`. */
export type VectorStoreWithCollections = VectorStore & Required<Pick<VectorStore, "collection">>;

/** Conformance suite for a `VectorStore` with `collection`. The subject is made as for `vectorStoreCases`. */
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

/**
 * A `VectorStore` with the optional methods `initialize`, `write` and `rememberModel`: subject of `vectorWriteCases`.
 */
export type WritableVectorStore = VectorStore & Required<Pick<VectorStore, "initialize" | "write" | "rememberModel">>;

/**
 * Conformance suite for a `VectorStore` with `initialize`, `write` and `rememberModel`. The subject is made as for
 * `vectorStoreCases`.
 */
export const vectorWriteCases = {
  "initializes many times, also at once and after the first document": async (store) => {
    await Promise.all([store.initialize(), store.initialize(), store.initialize()]);
    await store.upsert(at("a", [1, 0]));
    await store.initialize();

    assert.deepEqual(await eastIds(store), ["a"]);
  },
  "stores and removes documents in one change": async (store) => {
    await fill(store, at("a", [1, 0], { of: "x" }), at("b", [1, 0], { of: "x" }), at("c", [1, 0]), at("d", [1, 0]));
    await store.write({
      upsert: [at("a", [1, 1]), at("e", [1, 0])],
      delete: ["d", "absent"],
      deleteWhere: { of: "x" },
    });

    assert.deepEqual(await eastIds(store), ["c", "e", "a"]);
    assert.deepEqual(await store.get("a"), at("a", [1, 1]));
  },
  "stores a document that the same change removes": async (store) => {
    await store.upsert(at("a", [0, 1], { of: "x" }));
    await store.write({ upsert: [at("a", [1, 0], { of: "x" })], delete: ["a"], deleteWhere: { of: "x" } });

    assert.deepEqual(await store.get("a"), at("a", [1, 0], { of: "x" }));
  },
  "keeps the last of several documents with one id": async (store) => {
    await store.write({ upsert: [at("a", [1, 0], { n: 1 }), at("b", [1, 0]), at("a", [0, 1], { n: 2 })] });

    assert.deepEqual(await store.get("a"), at("a", [0, 1], { n: 2 }));
    assert.deepEqual(await eastIds(store), ["b", "a"]);
  },
  "removes by a filter what a search with it finds": async (store) => {
    const kept = [at("a", [1, 0], { of: { id: "y" } }), at("b", [1, 0], { of: ["x"] }), at("c", [1, 0])];
    await fill(store, ...kept, at("d", [1, 0], { of: { id: "x" } }), at("e", [1, 0], { "of.id": "x", more: 1 }));
    await store.write({ deleteWhere: { "of.id": "x" } });
    for (const deleteWhere of [{ "of\0": "x" }, { of: ["x\0"] }]) await store.write({ deleteWhere });

    assert.deepEqual(await eastIds(store), ["a", "b", "c"]);
  },
  "changes nothing when it refuses a part of a change": async (store) => {
    await store.upsert(at("a", [1, 0], { of: "x" }));
    const upsert = [at("b", [1, 0]), at("c", [1, 0])];
    const refused = [
      { upsert: [...upsert, at("d", [1, 0, 0])], deleteWhere: { of: "x" } },
      { upsert: [...upsert, at("d", [NaN, 0])], delete: ["a"] },
      { upsert: [...upsert, at("", [1, 0])], delete: ["a"] },
      { upsert, delete: ["a", ""] },
      { upsert, deleteWhere: {} },
      { upsert, deleteWhere: { of: { $ne: "x" } } },
      { upsert, deleteWhere: { of: undefined } },
    ];
    for (const change of refused) await rejectsWith(store.write(change), "invalid_value");

    assert.deepEqual(await eastIds(store), ["a"]);
  },
  "stores many documents in one change": async (store) => {
    // The documents are near each other, because an approximate index may lose its last link to an isolated document.
    const all = Array.from({ length: 1500 }, (_, index) => at(`d${index}`, [100, index], { even: index % 2 === 0 }));
    await store.write({ upsert: all });
    assert.deepEqual(await eastIds(store, { topK: 3 }), ["d0", "d1", "d2"]);
    assert.equal((await eastIds(store, { topK: 2000 })).length, 1500);
    await store.write({ deleteWhere: { even: true } });

    assert.deepEqual(await eastIds(store, { topK: 3 }), ["d1", "d3", "d5"]);
    await store.write({ delete: all.map(({ id }) => id) });
    assert.deepEqual(await eastIds(store), []);
  },
  "takes an empty change": async (store) => await assert.doesNotReject(store.write({})),
  "shows a reader all of a change or none": async (store) => {
    const pieces = (n: number) => Array.from({ length: 5 }, (_, index) => at(`p${index + n * 5}`, [1, 0], { n }));
    await store.write({ upsert: pieces(0) });
    for (let n = 0; n < 5; n++) {
      const replaced = store.write({ deleteWhere: { n }, upsert: pieces(n + 1) }).then(() => true);
      do {
        const found = await store.search([1, 0]);
        const numbers = new Set(found.map(({ document }) => document.metadata?.["n"]));
        assert.deepEqual([found.length, numbers.size], [5, 1]);
      } while (!(await Promise.race([replaced, sleep(0).then(() => false)])));
    }

    assert.deepEqual(
      await eastIds(store),
      pieces(5).map(({ id }) => id),
    );
  },
  "remembers the first name of a model until it is cleared": async (store) => {
    assert.equal(await store.rememberModel("one/a"), "one/a");
    await store.upsert(at("a", [1, 0]));
    assert.equal(await store.rememberModel("two/b"), "one/a");
    assert.equal(await store.rememberModel("one/a"), "one/a");
    await store.clear();

    assert.equal(await store.rememberModel("two/b"), "two/b");
  },
  "remembers one name when many are told at once": async (store) => {
    const names = await Promise.all(["a", "b", "c", "d"].map(async (name) => await store.rememberModel(name)));

    assert.equal(new Set(names).size, 1);
  },
  "refuses the optional calls after it was closed": async (store) => {
    await store.close();

    await rejectsWith(store.initialize(), "storage_unavailable");
    await rejectsWith(store.write({}), "storage_unavailable");
    await rejectsWith(store.rememberModel("a"), "storage_unavailable");
  },
} satisfies ConformanceCases<WritableVectorStore>;

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
