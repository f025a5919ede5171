import { describe, expect, it } from "vitest";
import { checkConformance } from "../testing/conformance/check-conformance.ts";
import { at } from "../testing/conformance/vector-documents.ts";
import { vectorStoreCases } from "../testing/conformance/vector-store-cases.ts";
import { FakeEmbeddings } from "../testing/fake-embeddings.ts";
import { InMemoryVectorStore } from "./vector/in-memory-vector-store.ts";
import type { VectorDocument, VectorSearchResult, VectorStore } from "./vector/vector-store.ts";
import type { AddDocumentsError } from "./add-documents-error.ts";
import { KnowledgeBase } from "./knowledge-base.ts";
import { plainStore } from "./test/plain-store.ts";

const stores = {
  "a store with collections": (dimensions?: number) => new InMemoryVectorStore(sized(dimensions)),
  "a store without collections": (dimensions?: number) => plainStore(sized(dimensions)),
};

const sized = (dimensions?: number) => (dimensions === undefined ? {} : { dimensions });
const text = (id: string, content = `content of ${id}`): VectorDocument => ({ id, content });
const texts = (count: number) => Array.from({ length: count }, (_, index) => text(`d${index}`));

function knowledgeBase(vectorStore: VectorStore = new InMemoryVectorStore(), name = "kb") {
  const embeddings = new FakeEmbeddings();
  return Object.assign(new KnowledgeBase({ name, vectorStore, embeddings, ownsStore: false }), { embeddings });
}

describe.each(Object.entries(stores))("a KnowledgeBase over %s", (_, createStore) => {
  it("finds added documents by meaning, best first [knowledge.add] [knowledge.search]", async () => {
    const knowledge = knowledgeBase(createStore());
    await knowledge.add({ ...text("rain", "It rains in Oslo in autumn"), metadata: { city: "Oslo" } });
    await knowledge.add(text("due", "Invoices are due after thirty days"));
    const found = await knowledge.search("When does it rain in Oslo?");

    expect(found.map(({ document }) => document.id)).toEqual(["rain", "due"]);
    expect(found[0]?.document).toEqual({
      id: "rain",
      content: "It rains in Oslo in autumn",
      metadata: { city: "Oslo" },
    });
    expect(found[0]?.score).toBeGreaterThan(found[1]?.score ?? 1);
  });

  it("narrows a search by topK, minScore and filter", async () => {
    const knowledge = knowledgeBase(createStore());
    for (const id of ["a", "b", "c"]) await knowledge.add({ ...text(id), metadata: { id } });
    const ids = async (options: object) =>
      (await knowledge.search("content of a", options)).map(({ document }) => document.id);

    expect(await ids({ topK: 1 })).toEqual(["a"]);
    expect(await ids({ minScore: 0.999 })).toEqual(["a"]);
    expect(await ids({ filter: { id: "b" } })).toEqual(["b"]);
  });

  it("adds many documents and replaces those with their ids [knowledge.add-documents]", async () => {
    const knowledge = knowledgeBase(createStore());
    await knowledge.addDocuments([text("a", "old"), text("b")]);
    await knowledge.addDocuments([text("a", "new"), text("c", "first"), text("c", "last")]);

    expect((await knowledge.get("a"))?.content).toBe("new");
    expect((await knowledge.get("c"))?.content).toBe("last");
    expect(await knowledge.search("anything")).toHaveLength(3);
    await knowledge.addDocuments(texts(250));
    expect(await knowledge.search("anything", { topK: 1000 })).toHaveLength(253);
  });

  it("finds a document that is added a second time by its new content alone [knowledge.add]", async () => {
    const knowledge = knowledgeBase(createStore());
    await knowledge.addDocuments([text("a", "It rains in Oslo"), text("b", "Invoices are due after thirty days")]);
    const nearest = async (query: string) => (await knowledge.search(query, { topK: 1 }))[0]?.document;
    await knowledge.add(text("a", "The office opens at nine"));
    expect(await nearest("The office opens at nine")).toMatchObject({ id: "a", content: "The office opens at nine" });
    await knowledge.addDocuments([text("a", "The harbour freezes in winter")]);

    expect(await nearest("harbour freezes in winter")).toMatchObject({ id: "a" });
    for (const query of ["It rains in Oslo", "The office opens at nine"]) {
      const [found] = await knowledge.search(query, { minScore: 0.99 });
      expect(found).toBeUndefined();
    }
    expect(await knowledge.search("anything")).toHaveLength(2);
  });

  it("finds nothing that was deleted or cleared, and all that is added after that", async () => {
    const knowledge = knowledgeBase(createStore());
    const ids = async () => (await knowledge.search("anything")).map(({ document }) => document.id).toSorted();
    for (let round = 0; round < 2; round++) {
      await knowledge.addDocuments(texts(3));
      await knowledge.delete("d1");
      expect(await ids()).toEqual(["d0", "d2"]);
      await knowledge.clear();
      expect(await ids()).toEqual([]);
    }
    await knowledge.addDocuments(texts(2));

    expect(await ids()).toEqual(["d0", "d1"]);
  });

  it("returns a document with its embedding, or null [knowledge.get]", async () => {
    const knowledge = knowledgeBase(createStore());
    await knowledge.add({ ...text("a"), metadata: { list: [1] } });
    const embedding = (await knowledge.embeddings.embed("content of a")).map(Math.fround);

    expect(await knowledge.get("a")).toEqual({ ...text("a"), metadata: { list: [1] }, embedding });
    expect(await knowledge.get("b")).toBeNull();
  });

  it("deletes its own documents only [knowledge.delete]", async () => {
    const store = createStore();
    const [one, other] = [knowledgeBase(store, "one"), knowledgeBase(store, "other")];
    for (const knowledge of [one, other]) await knowledge.add(text("a", `of ${knowledge.name}`));
    await one.delete("a");
    await one.delete("a");

    expect(await one.get("a")).toBeNull();
    expect((await other.get("a"))?.content).toBe("of other");
  });

  it("clears its own documents only, also when it is new to the store [knowledge.clear]", async () => {
    const store = createStore();
    const [one, other] = [knowledgeBase(store, "one"), knowledgeBase(store, "other")];
    for (const knowledge of [one, other]) await knowledge.addDocuments(texts(3));
    await knowledgeBase(store, "one").clear();

    expect(await one.search("content")).toEqual([]);
    expect(await other.search("content")).toHaveLength(3);
  });

  it("prepares the store by its own initialize, where it has one [knowledge.initialize]", async () => {
    const store = createStore();
    const calls: string[] = [];
    const initialize = async () => void calls.push("initialize");
    const get = async () => (calls.push("get"), null);
    const plain = { ...plainStore(), get };
    await knowledgeBase(plain).initialize();
    await knowledgeBase({ ...plain, initialize }).initialize();
    await knowledgeBase(store).initialize();

    expect(calls).toEqual(["get", "initialize"]);
  });

  it("uses its collection, or its name when it has none [knowledge.config]", async () => {
    const vectorStore = createStore();
    const embeddings = new FakeEmbeddings();
    const shared = ["one", "two"].map(
      (name) => new KnowledgeBase({ name, vectorStore, embeddings, collection: "docs" }),
    );
    await shared[0]?.add(text("a"));

    expect(await shared[1]?.search("content")).toHaveLength(1);
    expect(await knowledgeBase(vectorStore, "docs").search("content")).toHaveLength(1);
    expect(await knowledgeBase(vectorStore, "one").search("content")).toEqual([]);
    expect(await vectorStore.get("a")).toBeNull();
  });

  it("closes its store, and refuses every call from then on [knowledge.close]", async () => {
    const vectorStore = createStore();
    const embeddings = new FakeEmbeddings();
    const knowledge = new KnowledgeBase({ name: "kb", vectorStore, embeddings });
    await knowledge.add(text("a"));
    await Promise.all([knowledge.close(), knowledge.close()]);
    await knowledge.close();

    const closed = { code: "storage_unavailable" };
    await expect(vectorStore.get("a")).rejects.toMatchObject(closed);
    await expect(knowledge.add(text("a"))).rejects.toMatchObject(closed);
    await expect(knowledge.addDocuments([])).rejects.toMatchObject(closed);
    await expect(knowledge.search("a")).rejects.toMatchObject(closed);
    await expect(knowledge.get("a")).rejects.toMatchObject(closed);
    await expect(knowledge.delete("a")).rejects.toMatchObject(closed);
    await expect(knowledge.clear()).rejects.toMatchObject(closed);
    await expect(knowledge.initialize()).rejects.toMatchObject(closed);
    expect(embeddings.calls).toHaveLength(1);
  });

  it("leaves a store open that it does not own, for the others that share it [knowledge.close]", async () => {
    const store = createStore();
    const [one, other] = [knowledgeBase(store), knowledgeBase(store)];
    await one.add(text("a"));
    await one.close();

    expect((await other.get("a"))?.id).toBe("a");
    await expect(one.get("a")).rejects.toMatchObject({ code: "storage_unavailable" });
  });

  it("stores nothing more of what is being added when it closes [knowledge.close]", async () => {
    const store = createStore();
    const fake = new FakeEmbeddings();
    const embedBatch = async (given: readonly string[]) => {
      if (fake.calls.length === 3) await knowledge.close();
      return await fake.embedBatch(given);
    };
    const embeddings = { embed: async (given: string) => await fake.embed(given), embedBatch };
    const knowledge = new KnowledgeBase({
      name: "kb",
      vectorStore: store,
      embeddings,
      ownsStore: false,
      concurrency: 2,
    });
    const added = knowledge.addDocuments(texts(500)).catch((error: unknown) => error);
    const { code, notStored } = (await added) as AddDocumentsError;
    const other = knowledgeBase(store);
    const isStored = async (id: string) => (await other.get(id)) !== null;

    expect(code).toBe("storage_unavailable");
    const found = await Promise.all(texts(500).map(async ({ id }) => ((await isStored(id)) ? [] : [id])));
    expect(found.flat()).toEqual(notStored);
    expect(notStored.length).toBeLessThan(500);
  });

  it("calls the store at each initialize, and needs no embedding [knowledge.initialize]", async () => {
    const store = createStore();
    const knowledge = knowledgeBase(store);
    await knowledge.initialize();
    await knowledge.initialize();
    expect(knowledge.embeddings.calls).toEqual([]);

    await store.close();
    await expect(knowledge.initialize()).rejects.toMatchObject({ code: "storage_unavailable" });
  });

  describe("used as a store", () => {
    checkConformance(it, vectorStoreCases, {
      create: () => asStore(new KnowledgeBase({ name: "kb", vectorStore: createStore(2) })),
      knownGaps: {
        "refuses a document without an embedding when the store has no embeddings":
          "what is wrong is the configuration, and so says the code",
      },
    });
  });
});

/** A knowledge base takes a string as a query, so a value that is neither vector nor string becomes an empty vector here. */
function asStore(knowledge: KnowledgeBase): VectorStore {
  return {
    upsert: async (document) => await knowledge.add(document),
    search: async (query, options) =>
      (await knowledge.search(Array.isArray(query) ? query : [], options)) as VectorSearchResult[],
    get: async (id) => await knowledge.get(id),
    delete: async (id) => await knowledge.delete(id),
    clear: async () => await knowledge.clear(),
    close: async () => await knowledge.close(),
  };
}

describe("KnowledgeBase", () => {
  it("uses the embeddings of its store when it has none of its own", async () => {
    const [ofStore, own] = [new FakeEmbeddings(), new FakeEmbeddings()];
    const vectorStore = new InMemoryVectorStore({ embeddings: ofStore });
    await new KnowledgeBase({ name: "a", vectorStore }).add(text("a"));
    await new KnowledgeBase({ name: "b", vectorStore, embeddings: own }).add(text("b"));

    expect(ofStore.calls.map((call) => call.texts)).toEqual([["content of a"]]);
    expect(own.calls.map((call) => call.texts)).toEqual([["content of b"]]);
  });

  it("asks for embeddings when there are none, before it stores anything", async () => {
    const knowledge = new KnowledgeBase({ name: "a", vectorStore: new InMemoryVectorStore() });
    const refusal = { code: "invalid_config", message: expect.stringContaining("give `embeddings`") };

    await expect(knowledge.search("text")).rejects.toMatchObject(refusal);
    await expect(knowledge.add(text("a"))).rejects.toMatchObject(refusal);
    await expect(knowledge.addDocuments([at("a", [1, 0]), text("b")])).rejects.toMatchObject(refusal);
    expect(await knowledge.get("a")).toBeNull();
    await knowledge.addDocuments([at("a", [1, 0])]);
    expect(await knowledge.search([1, 0])).toHaveLength(1);
  });

  it("embeds no query with invalid options", async () => {
    const knowledge = knowledgeBase();

    await expect(knowledge.search("a", { topK: 0 })).rejects.toMatchObject({ code: "invalid_value" });
    const mistaken = { topk: 3 } as object;
    await expect(knowledge.search("a", mistaken)).rejects.toMatchObject({ code: "invalid_config" });
    await expect(knowledge.add(text("a"), mistaken)).rejects.toMatchObject({ code: "invalid_config" });
    expect(knowledge.embeddings.calls).toEqual([]);
  });

  it.each<[object, string]>([
    [{ name: "" }, "name must be a well-formed string"],
    [{ name: "a\0b" }, "name must be a well-formed string"],
    [{ name: undefined }, "name must be a well-formed string"],
    [{ collection: " " }, "collection must be a well-formed string"],
    [{ vectorStore: undefined }, "vectorStore must be a VectorStore"],
    [{ embeddings: {} }, "embeddings must be an EmbeddingProvider"],
    [{ batchSize: 0 }, "batchSize must be a positive integer"],
    [{ concurrency: 1.5 }, "concurrency must be a positive integer"],
    [{ ownsStore: "no" }, "ownsStore must be true or false"],
    [{ rerank: {} }, "rerank must be a function"],
    [{ chunking: true }, "chunking must be false, { size, overlap } or a function, got true"],
    [{ chunking: { size: 0 } }, "chunking.size must be a positive integer, got 0"],
    [{ store: 1 }, 'Unknown option "store" of KnowledgeBase'],
  ])("refuses the configuration %o", (wrong, message) => {
    expect(() => new KnowledgeBase({ name: "a", vectorStore: new InMemoryVectorStore(), ...wrong })).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringContaining(message) }),
    );
  });
});
