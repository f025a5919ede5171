import { assert } from "./assert.ts";
import type { VectorStore } from "../../vector/vector-store.ts";
import type { ConformanceCases } from "./check-conformance.ts";
import { rejectsWith } from "./rejects-with.ts";
import { at, eastIds, fill } from "./vector-documents.ts";

/** A store with stores inside. */
export type CollectingVectorStore = VectorStore & Required<Pick<VectorStore, "collection">>;

/** What a `VectorStore` promises that has `collection`; the subject is as for `vectorStoreCases`. */
export const vectorCollectionCases = {
  "shows nothing of a collection outside": async (store) => {
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
  "gives a view of the same documents for the same name": async (store) => {
    const [first, second] = [store.collection("c"), store.collection("c")];
    await first.upsert(at("a", [1, 0]));

    assert.equal((await second.get("a"))?.id, "a");
  },
  "tells names of collections apart by every character": async (store) => {
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
  "closes a view alone": async (store) => {
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
} satisfies ConformanceCases<CollectingVectorStore>;
