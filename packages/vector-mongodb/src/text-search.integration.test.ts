import { KnowledgeBase } from "@troupe/core";
import { FakeEmbeddings } from "@troupe/core/testing";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { dropTestDb, newName, newStore, serverUrl, testDb, withClient } from "./test/stores.ts";

function open(collectionName: string) {
  const store = newStore({ collectionName, embeddings: new FakeEmbeddings() });
  const knowledge = new KnowledgeBase({ name: "kb", vectorStore: store });
  onTestFinished(async () => await knowledge.close());
  return { store: store.collection("kb"), knowledge };
}

/** Makes a collection as an older version wrote it: without words. */
async function oldCollection(count: number): Promise<string> {
  const name = newName();
  const { knowledge } = open(name);
  const others = Array.from({ length: count - 2 }, (_, index) => ({ id: `d${index}`, content: `Text ${index}` }));
  const [one, two] = ["The quick brown fox", "A lazy dog"];
  await knowledge.addDocuments([{ id: "one", content: one }, { id: "two", content: two }, ...others]);
  await withClient(async (client) => {
    const db = client.db(testDb);
    await db.collection(name).updateMany({}, { $unset: { words: 1, counts: 1, wordCount: 1 } });
    await db.collection(`${name}.catalog`).updateMany({}, { $unset: { hasWords: 1 } });
  });
  return name;
}

const idsOf = async (knowledge: KnowledgeBase, query: string) =>
  (await knowledge.search(query, { mode: "text" })).map(({ document }) => document.id).toSorted();

describe.skipIf(serverUrl === "")("the text index of a collection of an older version", () => {
  afterAll(async () => await dropTestDb());

  it("is made once by createTextIndex, and searches are by vectors until then", async () => {
    const { store, knowledge } = open(await oldCollection(250));
    expect((await knowledge.search("fox")).every(({ rank }) => rank === undefined)).toBe(true);
    await expect(knowledge.search("fox", { mode: "text" })).rejects.toMatchObject({ code: "invalid_config" });
    await knowledge.add({ id: "three", content: "Another fox" });

    await store.createTextIndex?.();
    await store.createTextIndex?.();

    expect(await idsOf(knowledge, "foxes")).toEqual(["one", "three"]);
    expect(await idsOf(knowledge, "247")).toEqual(["d247"]);
    expect((await knowledge.search("fox")).some(({ rank }) => rank === 1)).toBe(true);
  });

  it("has the words of documents that others store, replace and delete while it is made", async () => {
    const { store, knowledge } = open(await oldCollection(250));

    await Promise.all([
      store.createTextIndex?.(),
      knowledge.add({ id: "d100", content: "A new fox" }),
      knowledge.add({ id: "new", content: "A third fox" }),
      knowledge.delete("one"),
    ]);

    expect(await idsOf(knowledge, "fox")).toEqual(["d100", "new"]);
    expect(await idsOf(knowledge, "100")).toEqual([]);
  });

  it("is not needed by a store without documents, nor after a clear", async () => {
    const { store, knowledge } = open(newName());
    expect(await store.hasTextIndex?.()).toBe(true);
    const old = open(await oldCollection(3));
    await old.knowledge.clear();
    await old.knowledge.add({ id: "a", content: "fox" });

    expect(await idsOf(knowledge, "fox")).toEqual([]);
    expect(await idsOf(old.knowledge, "fox")).toEqual(["a"]);
  });
});
