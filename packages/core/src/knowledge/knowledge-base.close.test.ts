import { describe, expect, it } from "vitest";
import { FakeEmbeddings } from "../testing/fake-embeddings.ts";
import { KnowledgeBase } from "./knowledge-base.ts";
import { InMemoryVectorStore } from "./vector/in-memory-vector-store.ts";

describe("the close of a KnowledgeBase", () => {
  it.each([
    { failing: ["documents"], ownsStore: true, closed: ["documents", "store"] },
    { failing: ["store"], ownsStore: true, closed: ["documents", "store"] },
    { failing: ["documents", "store"], ownsStore: true, closed: ["documents", "store"] },
    { failing: ["documents"], ownsStore: false, closed: ["documents"] },
  ])("closes all that it owns if $failing fail to close, owner of the store: $ownsStore", async (of) => {
    const store = new InMemoryVectorStore();
    const closed: string[] = [];
    const closing = (part: string, close: () => Promise<void>) => async () => {
      closed.push(part);
      await close();
      if (of.failing.includes(part)) throw new Error(`${part} failed`);
    };
    const closeStore = store.close.bind(store);
    store.close = closing("store", closeStore);
    const collection = new InMemoryVectorStore();
    collection.close = closing("documents", collection.close.bind(collection));
    store.collection = () => collection;
    const config = { name: "kb", vectorStore: store, embeddings: new FakeEmbeddings(), ownsStore: of.ownsStore };
    const knowledge = new KnowledgeBase(config);
    await knowledge.add({ id: "a", content: "content of a" });

    await expect(knowledge.close()).rejects.toThrow(`${of.failing[0] ?? ""} failed`);
    expect(closed).toEqual(of.closed);
    await expect(knowledge.get("a")).rejects.toMatchObject({ code: "storage_unavailable" });
    if (!of.ownsStore) await closeStore();
  });
});
