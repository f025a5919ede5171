import { assert } from "./assert.ts";
import type { VectorStore } from "../../vector/vector-store.ts";
import type { ConformanceCases } from "./check-conformance.ts";

/** What a `VectorStore` promises that was given `embeddings`, which the subject says are used. */
export const vectorEmbeddingsCases = {
  "shows the embeddings that it was given": async ({ store, embed }) => {
    assert.deepEqual(await store.embeddings?.embed("rain in Oslo"), await embed("rain in Oslo"));
  },
  "makes the embedding of a document that comes without": async ({ store, embed }) => {
    await store.upsert({ id: "a", content: "rain in Oslo" });

    assert.deepEqual((await store.get("a"))?.embedding, (await embed("rain in Oslo")).map(Math.fround));
  },
  "leaves an embedding alone that a document comes with": async ({ store, embed }) => {
    const embedding = (await embed("something else")).map(Math.fround);
    await store.upsert({ id: "a", content: "rain in Oslo", embedding });

    assert.deepEqual((await store.get("a"))?.embedding, embedding);
  },
  "stores the document as it was before its embedding was made": async ({ store }) => {
    const document = { id: "a", content: "rain in Oslo", metadata: { list: [1] } };
    const stored = store.upsert(document);
    document.content = "changed";
    document.metadata.list.push(2);
    await stored;

    const { content, metadata } = (await store.get("a")) ?? {};
    assert.deepEqual({ content, metadata }, { content: "rain in Oslo", metadata: { list: [1] } });
  },
} satisfies ConformanceCases<EmbeddingVectorStore>;

/** An empty store with `embeddings`, and how these embed. */
export type EmbeddingVectorStore = { store: VectorStore; embed: (text: string) => Promise<number[]> };
