import { DatabaseSync } from "node:sqlite";
import { KnowledgeBase } from "@troupe/core";
import { FakeEmbeddings } from "@troupe/core/testing";
import { expect, it, onTestFinished } from "vitest";
import { useVectorFiles } from "../test/stores.ts";
import { SqliteVectorStore } from "./sqlite-vector-store.ts";

const newVectorFile = useVectorFiles();

function open(path: string) {
  const store = new SqliteVectorStore(path, { durability: "normal", embeddings: new FakeEmbeddings() });
  const knowledge = new KnowledgeBase({ name: "kb", vectorStore: store });
  onTestFinished(async () => await knowledge.close());
  return { store, knowledge };
}

/** Makes a file as an older version wrote it: with documents and without an index of words. */
async function oldFile(): Promise<string> {
  const path = newVectorFile();
  const { knowledge } = open(path);
  await knowledge.addDocuments([
    { id: "one", content: "The quick brown fox" },
    { id: "two", content: "A lazy dog" },
  ]);
  await knowledge.close();
  const database = new DatabaseSync(path);
  database.exec('drop table "troupe_vectors_text"');
  database.close();
  return path;
}

it("a file of an older version searches by vectors until createTextIndex was called once", async () => {
  const { store, knowledge } = open(await oldFile());
  const before = await knowledge.search("fox");
  expect(before.every(({ rank }) => rank === undefined)).toBe(true);
  await expect(knowledge.search("fox", { mode: "text" })).rejects.toMatchObject({ code: "invalid_config" });
  await knowledge.add({ id: "three", content: "Another fox" });

  await store.createTextIndex?.();
  await store.createTextIndex?.();
  const found = await knowledge.search("fox", { mode: "text" });
  expect(found.map(({ document, rank }) => [document.id, rank])).toEqual([
    ["three", 1],
    ["one", 2],
  ]);
  await knowledge.delete("three");
  expect(await knowledge.search("fox", { mode: "text" })).toHaveLength(1);
});

it("a hybrid search joins both lists, with the cosine as score and null for a hit by words alone", async () => {
  const { knowledge } = open(newVectorFile());
  const documents = Array.from({ length: 80 }, (_, index) => ({ id: `d${index}`, content: `text number ${index}` }));
  await knowledge.addDocuments([
    ...documents,
    { id: "exact", content: "the option maxToolRoundtrips among many other words" },
  ]);
  const found = await knowledge.search("maxToolRoundtrips", { topK: 5 });

  expect(found.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5]);
  expect(found.some(({ document }) => document.id === "exact")).toBe(true);
  expect(await knowledge.search("maxToolRoundtrips", { mode: "hybrid", topK: 3, offset: 2 })).toMatchObject(
    found.slice(2).map(({ document }) => ({ document })),
  );
  expect(await knowledge.search("maxToolRoundtrips", { minScore: -1 })).toSatisfy((results: { rank?: number }[]) =>
    results.every(({ rank }) => rank === undefined),
  );
  expect((await knowledge.search("maxToolRoundtrips", { mode: "text" }))[0]).toMatchObject({ score: null, rank: 1 });
  await expect(knowledge.search("a", { mode: "words" as never })).rejects.toThrow("mode must be");
  await expect(knowledge.search("a", { offset: -1 })).rejects.toThrow("offset must be");
});
