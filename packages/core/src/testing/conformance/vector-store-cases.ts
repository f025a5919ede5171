import { vectorSearchCases } from "./vector-search-cases.ts";
import { assert, failureOf, rejectsWith } from "./assert.ts";
import type { VectorStore } from "../../knowledge/vector/vector-store.ts";
import type { ConformanceCases } from "./check-conformance.ts";
import { at, eastIds, fill } from "./vector-documents.ts";

/** Cases of `vectorStoreCases` for stored documents. */
const documentCases = {
  "returns a document with its embedding as 32-bit floats": async (store) => {
    await store.upsert(at("a", [0.1, -2], { tag: "x", deep: { list: [1, null] } }));

    const expected = at("a", [Math.fround(0.1), -2], { tag: "x", deep: { list: [1, null] } });
    assert.deepEqual(await store.get("a"), expected);
  },
  "returns null for a document that was never stored": async (store) => {
    assert.equal(await store.get("a"), null);
    assert.equal(await store.get("constructor"), null);
  },
  "replaces a document as a whole": async (store) => {
    await fill(store, at("a", [1, 0], { one: 1 }), { id: "a", content: "new", embedding: [0, 1] });

    assert.deepEqual(await store.get("a"), { id: "a", content: "new", embedding: [0, 1] });
    assert.deepEqual(await eastIds(store), ["a"]);
  },
  "deletes a document": async (store) => {
    await fill(store, at("a", [1, 0]), at("b", [1, 0]));
    await store.delete("a");

    assert.equal(await store.get("a"), null);
    assert.deepEqual(await eastIds(store), ["b"]);
  },
  "finds a document by its second vector, content and metadata alone": async (store) => {
    await fill(store, at("a", [1, 0], { in: "first" }), at("b", [1, 1]));
    await store.upsert({ id: "a", content: "second", embedding: [0, -1], metadata: { in: "second" } });

    assert.deepEqual(await eastIds(store), ["b", "a"]);
    const [nearest] = await store.search([0, -1], { topK: 1 });
    assert.deepEqual(nearest?.document, { id: "a", content: "second", metadata: { in: "second" } });
    assert.deepEqual(await eastIds(store, { filter: { in: "first" } }), []);
    assert.deepEqual(await eastIds(store, { filter: { in: "second" } }), ["a"]);
  },
  "finds the documents that are left when others were deleted, each by its own vector": async (store) => {
    const vectors = { a: [1, 0], b: [0, 1], c: [-1, 0], d: [0, -1] };
    for (const [id, vector] of Object.entries(vectors)) await store.upsert(at(id, vector, { id }));
    const near = async (vector: number[]): Promise<string | undefined> =>
      (await store.search(vector, { topK: 1, minScore: 0.99 }))[0]?.document.id;
    await store.delete("a");
    assert.deepEqual(await Promise.all(Object.values(vectors).map(near)), [undefined, "b", "c", "d"]);
    await store.delete("c");
    assert.deepEqual(await Promise.all(Object.values(vectors).map(near)), [undefined, "b", undefined, "d"]);
    await fill(store, at("a", [-1, 0]), at("e", [1, 0]));

    assert.deepEqual(await Promise.all(Object.values(vectors).map(near)), ["e", "b", "a", "d"]);
    assert.deepEqual(await eastIds(store, { filter: { id: "b" } }), ["b"]);
    assert.deepEqual((await store.get("d"))?.embedding, [0, -1]);
  },
  "clears a second time, and finds nothing of what was cleared": async (store) => {
    for (const content of ["first", "second"]) {
      await fill(store, { id: "a", content, embedding: [1, 0] }, at(content, [0, 1]));
      assert.deepEqual((await store.search([1, 0], { topK: 1 }))[0]?.document.content, content);
      await store.clear();
      assert.deepEqual(await eastIds(store), []);
      assert.equal(await store.get("a"), null);
    }
  },
  "deletes an absent document without an error": async (store) => await assert.doesNotReject(store.delete("a")),
  "clears all documents and accepts new ones": async (store) => {
    await fill(store, at("a", [1, 0]), at("b", [0, 1]));
    await store.clear();

    assert.equal(await store.get("a"), null);
    assert.deepEqual(await eastIds(store), []);
    await store.upsert(at("a", [1, 0]));
    assert.deepEqual(await eastIds(store), ["a"]);
  },
  "takes every character of an id literally": async (store) => {
    const ids = [
      "a",
      "A",
      "a ",
      "a%",
      "a_",
      "*",
      "x'] or id != '",
      "' OR 1=1 --",
      "$ne",
      "__proto__",
      "a/b",
      "a%2Fb",
      "😀",
    ];
    for (const id of ids) await store.upsert(at(id, [1, 0]));
    for (const id of ids) assert.equal((await store.get(id))?.content, `content of ${id}`);
    for (const [index, id] of ids.entries()) {
      await store.delete(id);
      assert.equal((await eastIds(store, { topK: 100 })).length, ids.length - index - 1, id);
    }
  },
  "shares no object with its callers": async (store) => {
    const document = at("a", [1, 0], { list: [1] });
    await store.upsert(document);
    document.embedding?.fill(9);
    Object.assign(document.metadata ?? {}, { list: [2] });
    const [found] = await store.search([1, 0]);
    for (const given of [await store.get("a"), found?.document]) {
      given?.embedding?.fill(9);
      Object.assign(given?.metadata ?? {}, { list: [3] });
    }

    assert.deepEqual(await store.get("a"), at("a", [1, 0], { list: [1] }));
  },
  "stores the document as it was at the call": async (store) => {
    const document = at("a", [1, 0], { list: [1] });
    const stored = store.upsert(document);
    Object.assign(document, { content: "changed", metadata: {} });
    document.embedding?.fill(9);
    await stored;

    assert.deepEqual(await store.get("a"), at("a", [1, 0], { list: [1] }));
  },
  "refuses an id that storage would refuse as a key": async (store) => {
    for (const id of ["", "a\0b", "\ud800", "x".repeat(1025), undefined, { $ne: null }] as string[]) {
      await rejectsWith(store.upsert(at(id, [1, 0])), "invalid_value");
      await rejectsWith(store.get(id), "invalid_value");
      await rejectsWith(store.delete(id), "invalid_value");
    }
    assert.deepEqual(await eastIds(store), []);
  },
  "refuses content that is not a well-formed string": async (store) => {
    for (const content of ["\ud800", undefined, 5] as string[])
      await rejectsWith(store.upsert({ id: "a", content, embedding: [1, 0] }), "invalid_value");
    assert.equal(await store.get("a"), null);
  },
  "refuses content of more than 8 MB, and a NUL character": async (store) => {
    for (const content of ["a\0b", "x".repeat(8 * 2 ** 20 + 1), "é".repeat(4 * 2 ** 20 + 1)])
      await rejectsWith(store.upsert({ id: "a", content, embedding: [1, 0] }), "invalid_value");
    for (const metadata of [{ "a\0b": 1 }, { a: ["\0"] }, { a: "x".repeat(2 ** 18) }])
      await rejectsWith(store.upsert(at("a", [1, 0], metadata)), "invalid_value");
    assert.equal(await store.get("a"), null);
    const metadata = { a: "\\u0000", "\\": ["\\\\u0000"] };
    await store.upsert(at("a", [1, 0], metadata));
    assert.deepEqual((await store.get("a"))?.metadata, metadata);
  },
  "refuses metadata that is not JSON": async (store) => {
    for (const value of [1n, NaN, new Date(), () => 1, "\ud800", [undefined]])
      await rejectsWith(store.upsert(at("a", [1, 0], { deep: [value] })), "invalid_value");
    assert.equal(await store.get("a"), null);
  },
  "refuses vectors that are not finite, are zero or have another length": async (store) => {
    // In a store without configured dimensions, the first document determines them.
    await store.upsert(at("a", [1, 0]));
    for (const bad of [[], [0, 0], [NaN, 1], [1, Infinity], [1e39, 1], [1], [1, 0, 0], "10"] as number[][]) {
      await rejectsWith(store.upsert(at("b", bad)), "invalid_value");
      await rejectsWith(store.search(bad), "invalid_value");
    }
    assert.equal(await store.get("b"), null);
  },
  "keeps the old document when it refuses the new one": async (store) => {
    await store.upsert(at("a", [1, 0], { old: true }));
    for (const bad of [at("a", [1]), at("a", [NaN, 1]), at("a", [1, 0], { n: NaN })])
      await failureOf(store.upsert(bad));

    assert.deepEqual(await store.get("a"), at("a", [1, 0], { old: true }));
  },
  "refuses a document without an embedding when the store has no embeddings": async (store) => {
    await rejectsWith(store.upsert({ id: "a", content: "text" }), "invalid_value");
  },
  "keeps every one of many documents stored at once": async (store) => {
    await Promise.all(Array.from({ length: 50 }, async (_, index) => await store.upsert(at(`d${index}`, [1, index]))));

    assert.equal((await eastIds(store, { topK: 100 })).length, 50);
  },
  "closes twice": async (store) => {
    await store.close();
    await assert.doesNotReject(store.close());
  },
  "refuses every call after it was closed": async (store) => {
    await store.upsert(at("a", [1, 0]));
    await store.close();

    await rejectsWith(store.upsert(at("a", [1, 0])), "storage_unavailable");
    await rejectsWith(store.search([1, 0]), "storage_unavailable");
    await rejectsWith(store.get("a"), "storage_unavailable");
    await rejectsWith(store.delete("a"), "storage_unavailable");
    await rejectsWith(store.clear(), "storage_unavailable");
  },
} satisfies ConformanceCases<VectorStore>;

/**
 * Conformance suite for every `VectorStore`. The subject is an empty store for vectors of two numbers, without
 * `embeddings`.
 */
export const vectorStoreCases = { ...documentCases, ...vectorSearchCases };
