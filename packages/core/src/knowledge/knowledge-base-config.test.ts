import { describe, expect, it } from "vitest";
import { FakeEmbeddings } from "../testing/fake-embeddings.ts";
import { InMemoryVectorStore } from "./vector/in-memory-vector-store.ts";
import type { KnowledgeBaseConfig } from "./knowledge-base-config.ts";
import { readKnowledgeBaseConfig } from "./knowledge-base-config.ts";

const vectorStore = new InMemoryVectorStore();
const right: KnowledgeBaseConfig = { name: "kb", vectorStore };

describe("readKnowledgeBaseConfig", () => {
  it("adds the defaults", () => {
    expect(readKnowledgeBaseConfig(right)).toStrictEqual({ ...right, batchSize: 100, concurrency: 4, ownsStore: true });
  });

  it.each<Partial<KnowledgeBaseConfig>>([
    { chunking: false },
    { chunking: () => [] },
    { chunking: { size: 10, overlap: 0 } },
    { collection: "é".repeat(512), batchSize: 1, concurrency: 1, ownsStore: false },
    { embeddings: new FakeEmbeddings(), rerank: () => [] },
    { name: "a b/c" },
  ])("takes %o as it is", (part) => {
    expect(readKnowledgeBaseConfig({ ...right, ...part })).toMatchObject(part);
  });

  const named = "must be a well-formed string of at most 1024 bytes that is not blank, got a string.";

  it.each<[object, string]>([
    [{ name: " " }, `name ${named}`],
    [{ name: "\ud800" }, `name ${named}`],
    [{ name: "é".repeat(513) }, `name ${named}`],
    [{ name: undefined }, `name ${named.replace("a string.", "undefined.")}`],
    [{ collection: "" }, `collection ${named}`],
    [{ vectorStore: {} }, "vectorStore must be a VectorStore, with the methods upsert and search, got an object."],
    [
      { embeddings: { embed: () => {} } },
      "embeddings must be an EmbeddingProvider, with the methods embed and embedBatch, got an object.",
    ],
    [{ batchSize: 0 }, "batchSize must be a positive integer, got 0."],
    [{ concurrency: 0.5 }, "concurrency must be a positive integer, got 0.5."],
    [{ chunking: true }, "chunking must be false, { size, overlap } or a function, got true."],
    [{ chunking: [] }, "chunking must be false, { size, overlap } or a function, got an array."],
    [{ rerank: {} }, "rerank must be a function, got an object."],
    [{ ownsStore: "no" }, "ownsStore must be true or false, got a string."],
  ])("refuses %o", (part, message) => {
    expect(() => readKnowledgeBaseConfig({ ...right, ...part })).toThrow(
      expect.objectContaining({ code: "invalid_config", message }),
    );
  });

  it("names the owner of an unknown option", () => {
    const unknown = { ...right, store: 1 };

    expect(() => readKnowledgeBaseConfig(unknown)).toThrow('Unknown option "store" of KnowledgeBase "kb".');
  });
});
