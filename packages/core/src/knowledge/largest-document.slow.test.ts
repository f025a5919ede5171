import { describe, expect, it } from "vitest";
import { FakeEmbeddings } from "../testing/fake-embeddings.ts";
import { InMemoryVectorStore } from "./vector/in-memory-vector-store.ts";
import { KnowledgeBase } from "./knowledge-base.ts";
import { plainStore, writingStore } from "./test/plain-store.ts";

const stores = {
  "a store with collections": () => new InMemoryVectorStore(),
  "a store without collections": writingStore,
  "a store with six methods": plainStore,
};

describe.each(Object.entries(stores))("a KnowledgeBase over %s", (_name, createStore) => {
  it("takes a document of 8 MB, and returns it whole", async () => {
    const embeddings = new FakeEmbeddings({ dimensions: 8 });
    const knowledge = new KnowledgeBase({ name: "kb", vectorStore: createStore(), embeddings });
    const content = "It rains in Oslo, and so on. ".repeat(300_000).slice(0, 8 * 2 ** 20);
    await knowledge.add({ id: "large", content });

    expect((await knowledge.get("large"))?.content === content).toBe(true);
    expect((await knowledge.search("rain", { topK: 10_000 })).length).toBeGreaterThan(1000);
  });
});
