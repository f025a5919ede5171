import { KnowledgeBase } from "@troupe/core";
import type { VectorDocument } from "@troupe/core";
import { FakeEmbeddings } from "@troupe/core/testing";
import { expect, it, onTestFinished } from "vitest";
import { fillOldCollection } from "../test/old-collection.ts";
import { QdrantDouble } from "../test/qdrant-double.ts";
import { QdrantVectorStore } from "./qdrant-vector-store.ts";

const many = Array.from({ length: 250 }, (_, index) => ({ id: `d${index}`, content: `Text ${index}` }));
const foxes = [
  { id: "one", content: "The quick brown fox" },
  { id: "two", content: "A lazy dog" },
  { id: "none", content: "?!" },
];

async function start(documents = [...foxes, ...many]) {
  const double = await QdrantDouble.start();
  await fillOldCollection(double.url, { prefix: "old", path: "kb" }, documents);
  const open = () => new QdrantVectorStore({ url: double.url, prefix: "old", embeddings: new FakeEmbeddings() });
  const knowledge = new KnowledgeBase({ name: "kb", vectorStore: open() });
  onTestFinished(async () => {
    await knowledge.close();
    await double.close();
  });
  return { double, knowledge, store: open().collection("kb"), other: open().collection("kb") };
}

const idsOf = async (knowledge: KnowledgeBase, query: string) =>
  (await knowledge.search(query, { mode: "text" })).map(({ document }) => document.id).toSorted();

it("a collection of an older version searches by vectors until createTextIndex was called once", async () => {
  const { knowledge, store } = await start();
  expect((await knowledge.search("fox")).every(({ rank }) => rank === undefined)).toBe(true);
  await expect(knowledge.search("fox", { mode: "text" })).rejects.toMatchObject({ code: "invalid_config" });
  await knowledge.add({ id: "three", content: "Another fox" });

  await store.createTextIndex?.();
  await store.createTextIndex?.();

  expect(await idsOf(knowledge, "foxes")).toEqual(["one", "three"]);
  expect(await idsOf(knowledge, "247")).toEqual(["d247"]);
  expect((await knowledge.search("fox")).some(({ rank }) => rank === 1)).toBe(true);
  await knowledge.clear();
  expect(await idsOf(knowledge, "fox")).toEqual([]);
});

it("a text index has the words of documents that others store, replace and delete while it is made", async () => {
  const { double, knowledge, store, other } = await start(foxes);
  let step = 0;
  // Between the reading of the points and the writing of their words, another process makes its changes.
  double.fault = ({ body }) => {
    const isUpdate = JSON.stringify(body).includes("update_vectors");
    if (isUpdate) step += 1;
    return isUpdate && step === 1 ? "cut" : undefined;
  };
  await expect(store.createTextIndex?.()).rejects.toMatchObject({ code: "storage_unavailable" });
  expect(await store.hasTextIndex?.()).toBe(false);
  await other.upsert({ id: "one", content: "A new cat" });
  double.beforeChange = async () => {
    double.beforeChange = undefined;
    await other.upsert({ id: "two", content: "A slow snail" });
    await other.delete("none");
  };

  await store.createTextIndex?.();

  expect(await idsOf(knowledge, "dog")).toEqual([]);
  expect(await idsOf(knowledge, "snails")).toEqual(["two"]);
  expect(await idsOf(knowledge, "cat")).toEqual(["one"]);
});

it("a document that was stored without words while the collection got its index is stored again with them", async () => {
  const { double, knowledge, store, other } = await start(foxes);
  double.beforeChange = async () => {
    double.beforeChange = undefined;
    await store.createTextIndex?.();
  };
  await other.upsert({ id: "four", content: "A fourth fox" });

  expect(await idsOf(knowledge, "fox")).toEqual(["four", "one"]);
});

it.each(["one", "two", "three"])(
  "a text index has the words of all documents but %s, which another process deletes while they are stored",
  async (deleted) => {
    const words = { one: "otter", two: "badger", three: "lynx" };
    const documents = Object.entries(words).map(([id, content]) => ({ id, content }));
    const { double, knowledge, store, other } = await start(documents);
    double.beforeChange = async () => {
      double.beforeChange = undefined;
      await other.delete(deleted);
    };

    await store.createTextIndex?.();

    const found = await Promise.all(documents.map(async ({ content }) => await idsOf(knowledge, content)));
    expect(found.flat()).toEqual(Object.keys(words).filter((id) => id !== deleted));
  },
);

it("a text index has the new headings of a document whose content stays the same", async () => {
  const { double, knowledge, store, other } = await start(foxes);
  double.beforeChange = async () => {
    double.beforeChange = undefined;
    await other.upsert({ ...foxes[1], metadata: { documentPlace: { headings: "Zebras" } } } as VectorDocument);
  };

  await store.createTextIndex?.();

  expect(await idsOf(knowledge, "zebra")).toEqual(["two"]);
});

it.each([404, 405])("a server that answers %i for an index of words is named, with what to do", async (status) => {
  const { double, store } = await start(foxes);
  double.fault = ({ path }) => (path.endsWith("/vectors/words") ? { status, body: "" } : undefined);

  await expect(store.createTextIndex?.()).rejects.toMatchObject({
    code: "invalid_config",
    message: expect.stringContaining("version 1.18") as string,
  });
});

it("another refusal of an index of words says nothing of the version", async () => {
  const { double, store } = await start(foxes);
  double.fault = ({ path }) => (path.endsWith("/vectors/words") ? { status: 403, body: "" } : undefined);

  await expect(store.createTextIndex?.()).rejects.not.toThrow("version 1.18");
});

it("a search by words does not keep a later change from adding a missing index of terms", async () => {
  const { double, store } = await start(foxes);
  await store.createTextIndex?.();
  for (const { indexes } of double.collections.values()) indexes.clear();
  await store.searchText?.("fox");
  await store.upsert({ id: "four", content: "A fourth fox", metadata: { n: 1 } });

  expect(await store.searchText?.("fox", { filter: { n: 1 } })).toHaveLength(1);
});

it("a store without documents needs no text index", async () => {
  const { other, double } = await start(foxes);
  const store = new QdrantVectorStore({ url: double.url, prefix: "new", embeddings: new FakeEmbeddings() });

  expect(await store.hasTextIndex?.()).toBe(true);
  expect(await other.hasTextIndex?.()).toBe(false);
  await store.createTextIndex?.();
  expect(await store.searchText?.("fox")).toEqual([]);
});
