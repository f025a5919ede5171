import { KnowledgeBase } from "@troupe/core";
import { createId } from "@troupe/core/kit";
import { FakeEmbeddings } from "@troupe/core/testing";
import { expect, it, onTestFinished } from "vitest";
import { fillOldCollection } from "../test/old-collection.ts";
import { QdrantVectorStore } from "./qdrant-vector-store.ts";

const url = process.env["TROUPE_TEST_QDRANT_URL"] ?? "";

it.skipIf(url === "")("a collection of an older version on a server gets its text index by one call", async () => {
  const prefix = `old-${createId().slice(-12)}`;
  const many = Array.from({ length: 250 }, (_, index) => ({ id: `d${index}`, content: `Text ${index}` }));
  await fillOldCollection(url, { prefix, path: "kb" }, [{ id: "one", content: "The quick brown fox" }, ...many]);
  const vectorStore = new QdrantVectorStore({ url, prefix, embeddings: new FakeEmbeddings() });
  const knowledge = new KnowledgeBase({ name: "kb", vectorStore });
  onTestFinished(async () => {
    await knowledge.clear();
    await knowledge.close();
  });
  expect((await knowledge.search("fox")).every(({ rank }) => rank === undefined)).toBe(true);
  await expect(knowledge.search("fox", { mode: "text" })).rejects.toMatchObject({ code: "invalid_config" });

  await vectorStore.collection("kb").createTextIndex?.();
  await knowledge.add({ id: "two", content: "Another fox" });

  const found = await knowledge.search("foxes", { mode: "text" });
  expect(found.map(({ document }) => document.id).toSorted()).toEqual(["one", "two"]);
  expect((await knowledge.search("fox"))[0]?.rank).toBe(1);
});
