import { assert, rejectsWith } from "./assert.ts";
import type { ConformanceCases } from "./check-conformance.ts";
import type { VectorStoreWithCollections } from "./vector-optional-cases.ts";
import type { TextSearchOptions, VectorDocument, VectorStore } from "../../knowledge/vector/vector-store.ts";

type Searching = Required<Pick<VectorStore, "searchText">>;

/** A `VectorStore` with the optional methods `searchText` and `collection`: subject of `vectorTextCases`. */
type TextVectorStore = VectorStoreWithCollections & Searching;

const doc = (id: string, content: string, metadata?: Record<string, unknown>): VectorDocument => {
  return { id, content, embedding: [1, 0], ...(metadata && { metadata }) };
};

async function fill(store: VectorStore, ...documents: VectorDocument[]): Promise<void> {
  for (const document of documents) await store.upsert(document);
}

async function idsOf(store: Searching, query: string, options?: TextSearchOptions): Promise<string[]> {
  return (await store.searchText(query, options)).map(({ document }) => document.id);
}

const weather = [
  doc("rain", "It rains in Oslo today, and it rained yesterday.", { city: "Oslo" }),
  doc("sun", "The sun shines in Rome today.", { city: "Rome" }),
  doc("code", "Set maxToolRoundtrips to 3, or call get_user_name().", { city: null }),
];

/**
 * Conformance suite for a `VectorStore` with `searchText` and `collection`. The subject is made as for
 * `vectorStoreCases`.
 */
export const vectorTextCases = {
  "finds documents by their words, with scores of which the best is first": async (store) => {
    await fill(store, ...weather);
    const found = await store.searchText("Rome today");

    assert.deepEqual(found[0]?.document, { id: "sun", content: weather[1]?.content, metadata: { city: "Rome" } });
    assert.deepEqual(
      found.map(({ document }) => document.id),
      ["sun", "rain"],
    );
    assert.ok(
      found.every(({ score }, index) => score <= (found[index - 1]?.score ?? Infinity)),
      "sorted by score",
    );
    assert.deepEqual(await idsOf(store, "snow"), []);
  },
  "finds a word however it is written, and in another form": async (store) => {
    await fill(store, ...weather);

    for (const query of ["ROME", "rome?", "'Rome'", "raining in", "rain", "MAXTOOLROUNDTRIPS"])
      assert.ok((await idsOf(store, query)).length > 0, query);
    assert.deepEqual(await idsOf(store, "maxToolRoundtrips"), ["code"]);
    assert.deepEqual(await idsOf(store, "get_user_name"), ["code"]);
  },
  "ranks a rare word above a common word": async (store) => {
    for (let index = 0; index < 20; index++) await store.upsert(doc(`d${index}`, `common text number ${index}`));
    await store.upsert(doc("rare", "zebra text"));

    assert.equal((await idsOf(store, "common zebra"))[0], "rare");
  },
  "filters before it applies topK": async (store) => {
    for (let index = 0; index < 20; index++) await store.upsert(doc(`near${index}`, "rain rain", { tenant: "one" }));
    await store.upsert(doc("far", "rain and many other words of another kind", { tenant: "two" }));

    assert.deepEqual(await idsOf(store, "rain", { topK: 3, filter: { tenant: "two" } }), ["far"]);
    assert.equal((await idsOf(store, "rain", { topK: 3 })).length, 3);
    assert.deepEqual(await idsOf(store, "rain", { filter: { tenant: "none" } }), []);
  },
  "finds a piece of a document by the headings above it": async (store) => {
    const place = (headings: string) => ({ documentPlace: { headings } });
    await fill(store, doc("a#2", "It takes three days.", place("Ships › Repair")), doc("b#2", "It takes three days."));

    assert.deepEqual(await idsOf(store, "ship repairs"), ["a#2"]);
    await store.upsert(doc("a#2", "It takes three days.", place("Trains")));
    assert.deepEqual(await idsOf(store, "ship repairs"), []);
    assert.equal((await store.searchText("trains"))[0]?.document.content, "It takes three days.");
  },
  "ranks by the words that name a subject, and not by those of a question": async (store) => {
    for (let index = 0; index < 10; index++) await store.upsert(doc(`d${index}`, `Refunds by card, number ${index}.`));
    await store.upsert(doc("how", "How do I do what I do? I do how I do."));

    assert.equal((await idsOf(store, "How do I get refunds?")).includes("how"), false);
    // A query that contains only frequent words, such as "how", must not be rejected.
    await assert.doesNotReject(store.searchText("How do I?"));
  },
  "finds words of languages without spaces": async (store) => {
    await fill(store, doc("tokyo", "今日は東京で雨が降ります。"), doc("osaka", "明日は大阪で晴れます。"));

    assert.deepEqual(await idsOf(store, "東京"), ["tokyo"]);
    assert.equal((await idsOf(store, "大阪の天気"))[0], "osaka");
  },
  "treats every query as words": async (store) => {
    await fill(store, ...weather);
    const queries = [
      '"',
      "'",
      "a AND",
      "OR",
      "NOT rome NEAR",
      "rome*",
      "(",
      "col:rome",
      "&|!<->",
      "\\",
      "%",
      "rome\0",
      "$1",
      ";--",
    ];

    for (const query of queries) await assert.doesNotReject(store.searchText(query));
    for (const query of ["", " ", "?!", "\u0000"]) assert.deepEqual(await idsOf(store, query), [], query);
    assert.deepEqual(await idsOf(store, "x ".repeat(10_000)), []);
  },
  "finds what was stored last, and nothing that was replaced or deleted": async (store) => {
    await fill(store, doc("a", "apple"), doc("b", "banana"), doc("a", "cherry"));
    assert.deepEqual(await idsOf(store, "apple"), []);
    assert.deepEqual(await idsOf(store, "cherry"), ["a"]);
    await store.delete("b");
    assert.deepEqual(await idsOf(store, "banana"), []);
    await store.clear();
    assert.deepEqual(await idsOf(store, "cherry"), []);
    await fill(store, doc("b", "banana"));
    assert.deepEqual(await idsOf(store, "banana"), ["b"]);
  },
  "finds no word of before in a store that was cleared and filled again": async (store) => {
    const other = store.collection("c") as VectorStore & Searching;
    await other.upsert(doc("other", "apple1 apple2 apple3"));
    for (let count = 1; count <= 3; count++) {
      const numbers = Array.from({ length: count }, (_, index) => index + 1);
      for (const number of numbers) await store.upsert(doc(`d${number}`, `apple${number}`));
      await store.clear();
      for (const number of numbers) await store.upsert(doc(`e${number}`, `cherry${number}`));
      for (const number of numbers) {
        assert.deepEqual(await idsOf(store, `apple${number}`), []);
        assert.deepEqual(await idsOf(store, `cherry${number}`), [`e${number}`]);
      }
      await store.clear();
    }
    assert.deepEqual(await idsOf(other, "apple3"), ["other"]);
  },
  "finds the documents of a collection only there": async (store) => {
    const collection = store.collection("c") as VectorStore & Searching;
    await fill(store, doc("a", "apple"));
    await fill(collection, doc("b", "apple"));

    assert.deepEqual(await idsOf(store, "apple"), ["a"]);
    assert.deepEqual(await idsOf(collection, "apple"), ["b"]);
    assert.deepEqual(await idsOf(store.collection("new") as VectorStore & Searching, "apple"), []);
  },
  "refuses an invalid topK or filter": async (store) => {
    for (const topK of [0, 1.5, NaN, 10_001]) await rejectsWith(store.searchText("a", { topK }), "invalid_value");
    await rejectsWith(store.searchText("a", { filter: { a: undefined } }), "invalid_value");
  },
} satisfies ConformanceCases<TextVectorStore>;
