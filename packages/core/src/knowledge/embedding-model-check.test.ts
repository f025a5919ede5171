import { describe, expect, it } from "vitest";
import { TroupeError } from "../base/errors/troupe-error.ts";
import { FakeEmbeddings } from "../testing/fake-embeddings.ts";
import type { EmbeddingProvider } from "./vector/embedding-provider.ts";
import { InMemoryVectorStore } from "./vector/in-memory-vector-store.ts";
import type { VectorStore } from "./vector/vector-store.ts";
import { KnowledgeBase } from "./knowledge-base.ts";
import { plainStore } from "./test/plain-store.ts";

/** Embeddings with the name of a model, which may change in a call. */
function embeddingsOf(modelId: string | undefined, successor?: string) {
  const fake = new FakeEmbeddings();
  const self = {
    ...(modelId !== undefined && { modelId }),
    calls: fake.calls,
    embed: async (text: string) => (await self.embedBatch([text]))[0] ?? [],
    embedBatch: async (texts: readonly string[]) => {
      if (successor !== undefined) self.modelId = successor;
      return await fake.embedBatch(texts);
    },
  } as EmbeddingProvider & { modelId?: string; calls: FakeEmbeddings["calls"] };
  return self;
}

function knowledgeBase(vectorStore: VectorStore, embeddings: EmbeddingProvider, collection = "docs") {
  return new KnowledgeBase({ name: "kb", vectorStore, embeddings, collection, ownsStore: false });
}

/** A store whose collections note each model that they are told. */
function notingStore() {
  const store = new InMemoryVectorStore();
  const names: string[] = [];
  const collection = (name: string) => {
    const view = store.collection(name);
    const ask = view.rememberModel.bind(view);
    view.rememberModel = async (model) => (names.push(model), await ask(model));
    return view;
  };
  return { names, store: { ...plainStore(), collection } satisfies VectorStore };
}

describe("EmbeddingModelCheck", () => {
  it("refuses a collection with vectors of another model, by search and by add [knowledge.model]", async () => {
    const store = new InMemoryVectorStore();
    await knowledgeBase(store, { ...embeddingsOf("small"), providerId: "openai" }).add({ id: "a", content: "text" });
    const other = knowledgeBase(store, { ...embeddingsOf("large"), providerId: "openai" });
    const refusal = {
      code: "invalid_config",
      message:
        'The collection "docs" has vectors of the model "openai/small", with which those of "openai/large" cannot be compared. Use embeddings of the first model, or another collection, or clear() this one and add its documents again.',
    };

    await expect(other.search("text")).rejects.toMatchObject(refusal);
    await expect(other.add({ id: "b", content: "text" })).rejects.toMatchObject(refusal);
    const both = [
      { id: "b", content: "text" },
      { id: "c", content: "text" },
    ];
    await expect(other.addDocuments(both)).rejects.toMatchObject({ code: "invalid_config", notStored: ["b", "c"] });
    expect(await other.get("b")).toBeNull();
    expect(await knowledgeBase(store, { ...embeddingsOf("small"), providerId: "openai" }).search("text")).toHaveLength(
      1,
    );
    const elsewhere = knowledgeBase(store, embeddingsOf("large"), "other");
    await elsewhere.add({ id: "b", content: "text" });
    expect(await elsewhere.search("text")).toHaveLength(1);
  });

  it("allows another model after clear() [knowledge.model]", async () => {
    const store = new InMemoryVectorStore();
    const small = knowledgeBase(store, embeddingsOf("small"));
    const large = knowledgeBase(store, embeddingsOf("large"));
    await small.add({ id: "a", content: "text" });
    await expect(large.search("text")).rejects.toMatchObject({ code: "invalid_config" });
    await large.clear();
    await large.add({ id: "b", content: "text" });

    expect(await large.search("text")).toHaveLength(1);
    await small.clear();
    await small.add({ id: "c", content: "text" });
    expect(await small.search("text")).toHaveLength(1);
  });

  it("asks the store once, before the first vector is used", async () => {
    const { names, store } = notingStore();
    const knowledge = knowledgeBase(store, { ...embeddingsOf("small"), providerId: "openai" });
    await knowledge.addDocuments([{ id: "own", content: "text", embedding: Array.from({ length: 256 }, () => 1) }]);
    await knowledge.search(Array.from({ length: 256 }, () => 1));
    expect(names).toEqual([]);
    const documents = Array.from({ length: 1000 }, (_, index) => ({ id: `d${index}`, content: "text" }));
    await knowledge.addDocuments(documents);
    await Promise.all([knowledge.search("text"), knowledge.search("text")]);

    expect(names).toEqual(["openai/small"]);
    await knowledge.clear();
    await knowledge.search("text");
    expect(names).toEqual(["openai/small", "openai/small"]);
  });

  it("remembers nothing of embeddings without a model, or in a store that cannot", async () => {
    const { names, store } = notingStore();
    await knowledgeBase(store, embeddingsOf(undefined)).add({ id: "a", content: "text" });
    expect(names).toEqual([]);
    const plain = plainStore();
    for (const model of ["small", "large"]) {
      await knowledgeBase(plain, embeddingsOf(model)).add({ id: model, content: "text" });
    }

    expect(await knowledgeBase(plain, embeddingsOf("third")).search("text")).toHaveLength(2);
  });

  it("remembers the model that made the vectors, when the vendor replaced it in the first call [knowledge.model]", async () => {
    const store = new InMemoryVectorStore();
    await knowledgeBase(store, embeddingsOf("gone", "new")).add({ id: "a", content: "text" });
    expect(await knowledgeBase(store, embeddingsOf("new")).search("text")).toHaveLength(1);
    const old = new InMemoryVectorStore();
    await knowledgeBase(old, embeddingsOf("gone")).add({ id: "a", content: "text" });

    const refusal = { code: "invalid_config", message: expect.stringContaining('of the model "gone"') };
    await expect(knowledgeBase(old, embeddingsOf("gone", "new")).search("text")).rejects.toMatchObject(refusal);
  });

  it("asks again after the store could not be reached", async () => {
    const { store, names } = notingStore();
    let isDown = true;
    const collection: typeof store.collection = (name) => {
      const view = store.collection(name);
      const ask = view.rememberModel.bind(view);
      view.rememberModel = async (model) => {
        if (isDown) throw new TroupeError("storage_unavailable", "Gone.");
        return await ask(model);
      };
      return view;
    };
    const knowledge = knowledgeBase({ ...store, collection }, embeddingsOf("small"));
    await expect(knowledge.search("text")).rejects.toMatchObject({ code: "storage_unavailable" });
    isDown = false;
    await knowledge.search("text");

    expect(names).toEqual(["small"]);
  });
});
