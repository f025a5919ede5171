import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { TroupeError } from "../base/errors/troupe-error.ts";
import { at } from "../testing/conformance/vector-documents.ts";
import { FakeEmbeddings } from "../testing/fake-embeddings.ts";
import type { EmbeddingProvider } from "./vector/embedding-provider.ts";
import { InMemoryVectorStore } from "./vector/in-memory-vector-store.ts";
import type { VectorDocument, VectorStore } from "./vector/vector-store.ts";
import { AddDocumentsError } from "./add-documents-error.ts";
import { KnowledgeBase } from "./knowledge-base.ts";
import { plainStore } from "./test/plain-store.ts";

const text = (id: string, content = `content of ${id}`): VectorDocument => ({ id, content });
const texts = (count: number) => Array.from({ length: count }, (_, index) => text(`d${index}`));

function knowledgeBase(vectorStore: VectorStore = new InMemoryVectorStore()) {
  const embeddings = new FakeEmbeddings();
  return Object.assign(new KnowledgeBase({ name: "kb", vectorStore, embeddings }), { embeddings });
}

/** Embeddings that answer when they are told to. */
function waitingEmbeddings() {
  const fake = new FakeEmbeddings();
  const waiting: { texts: readonly string[]; answer: () => void; fail: (error: Error) => void }[] = [];
  const embedBatch = async (given: readonly string[]) => {
    await new Promise<void>((answer, fail) => waiting.push({ texts: given, answer, fail }));
    return await fake.embedBatch(given);
  };
  return {
    waiting,
    embeddings: { providerId: "fake", embed: async (given: string) => await fake.embed(given), embedBatch },
  };
}

const soon = async () => await new Promise(setImmediate);

describe("addDocuments", () => {
  it("embeds a piece together with the headings above it, and stores its own text", async () => {
    const embeddings = new FakeEmbeddings();
    const vectorStore = new InMemoryVectorStore();
    const knowledge = new KnowledgeBase({ name: "kb", vectorStore, embeddings, chunking: { size: 20, overlap: 0 } });
    const content = `# Ships\n\n## Répair\n\n${"It takes three days. ".repeat(10)}`;
    await knowledge.add({ id: "a", content });

    const { texts: embedded = [] } = embeddings.calls[0] ?? {};
    expect(embedded.length).toBeGreaterThan(1);
    expect(embedded.slice(1).every((each) => each.startsWith("Ships › Répair\n\nIt takes"))).toBe(true);
    expect((await knowledge.get("a"))?.content).toBe(content);
  });

  it("embeds a hundred texts in one call, and no document that has an embedding", async () => {
    const knowledge = knowledgeBase();
    const brought = { ...text("b"), embedding: await knowledge.embeddings.embed("other") };
    knowledge.embeddings.calls.length = 0;
    await knowledge.addDocuments([brought, ...texts(250)]);

    expect(knowledge.embeddings.calls.map((call) => call.texts.length)).toEqual([100, 100, 50]);
    expect((await knowledge.get("b"))?.embedding).toEqual(brought.embedding.map(Math.fround));
    expect((await knowledge.get("d249"))?.embedding).toEqual(
      (await knowledge.embeddings.embed("content of d249")).map(Math.fround),
    );
  });

  it("makes no call for an empty array", async () => {
    const knowledge = knowledgeBase();
    await knowledge.addDocuments([]);

    expect(knowledge.embeddings.calls).toEqual([]);
  });

  it("processes at most `concurrency` batches at once", async () => {
    const { waiting, embeddings } = waitingEmbeddings();
    const options = { vectorStore: new InMemoryVectorStore(), embeddings, batchSize: 2, concurrency: 3 };
    const added = new KnowledgeBase({ name: "a", ...options }).addDocuments(texts(9));
    await soon();
    expect(waiting.map((call) => call.texts.length)).toEqual([2, 2, 2]);

    waiting[1]?.answer();
    await soon();
    expect(waiting).toHaveLength(4);
    for (let index = 0; index < 5; index++) {
      waiting[index]?.answer();
      await soon();
    }
    await added;
    expect(waiting.map((call) => call.texts.length)).toEqual([2, 2, 2, 2, 1]);
  });

  it("processes four batches at once by default", async () => {
    const { waiting, embeddings } = waitingEmbeddings();
    const controller = new AbortController();
    const knowledge = new KnowledgeBase({ name: "a", vectorStore: new InMemoryVectorStore(), embeddings });
    const added = knowledge.addDocuments(texts(1000), { signal: controller.signal });
    await soon();

    expect(waiting.map((call) => call.texts.length)).toEqual([100, 100, 100, 100]);
    controller.abort();
    await expect(added).rejects.toMatchObject({ code: "cancelled" });
  });

  it("finishes batches under way after a failure, starts no more and lists the documents that are not stored", async () => {
    const { waiting, embeddings } = waitingEmbeddings();
    const vectorStore = new InMemoryVectorStore();
    const knowledge = new KnowledgeBase({ name: "a", vectorStore, embeddings, batchSize: 2, concurrency: 2 });
    const added = knowledge.addDocuments(texts(7)).catch((error: unknown) => error);
    await soon();
    waiting[0]?.fail(new TroupeError("rate_limited", "Too fast.", { fields: { retryAfterMs: 5 } }));
    await soon();
    waiting[1]?.answer();
    const error = await added;

    expect(error).toBeInstanceOf(AddDocumentsError);
    expect(error).toMatchObject({
      name: "AddDocumentsError",
      code: "rate_limited",
      message: '5 of 7 documents were not stored ("d0", "d1", "d4", "d5", "d6"): Too fast.',
      fields: { retryAfterMs: 5, count: 5 },
      notStored: ["d0", "d1", "d4", "d5", "d6"],
    });
    expect(waiting).toHaveLength(2);
    const stored = await Promise.all(texts(7).map(async ({ id }) => (await knowledge.get(id)) !== null));
    expect(stored).toEqual([false, false, true, true, false, false, false]);
  });

  it("names the first few of many ids, and hides the text of an unknown failure", async () => {
    const fail = async () => await Promise.reject(new Error("sk-secret"));
    const embeddings = { embed: fail, embedBatch: fail };
    const knowledge = new KnowledgeBase({ name: "a", vectorStore: new InMemoryVectorStore(), embeddings });

    await expect(knowledge.addDocuments(texts(8))).rejects.toMatchObject({
      code: "internal",
      message:
        '8 of 8 documents were not stored ("d0", "d1", "d2", "d3", "d4", and 3 more): Something went wrong in this service.',
    });
    await expect(knowledge.search("text")).rejects.toMatchObject({ code: "internal" });
  });

  it("knows exactly which documents are stored when the store fails within a batch", async () => {
    const store = plainStore();
    const upsert = async (document: VectorDocument) => {
      if (document.id === "kb/d2") throw new TroupeError("storage_unavailable", "Gone.");
      await store.upsert(document);
    };
    const knowledge = knowledgeBase({ ...store, upsert });

    await expect(knowledge.addDocuments(texts(5))).rejects.toMatchObject({ notStored: ["d2", "d3", "d4"] });
    expect(await knowledge.get("d1")).not.toBeNull();
    expect(await knowledge.get("d3")).toBeNull();
    await expect(knowledge.add(text("d2"))).rejects.toMatchObject({ code: "storage_unavailable", message: "Gone." });
  });

  it("refuses all documents when one cannot be stored, names it, and embeds nothing", async () => {
    const knowledge = knowledgeBase();
    const refused = async (wrong: object) =>
      await expect(knowledge.addDocuments([text("a"), { ...text("b"), ...wrong }])).rejects.toMatchObject({
        code: "invalid_value",
        message: expect.stringMatching(/^documents\[1\] cannot be stored\. /),
      });
    await refused({ id: "" });
    await refused({ content: 5 });
    await refused({ metadata: { at: new Date() } });
    await refused({ embedding: [0, 0] });

    expect(knowledge.embeddings.calls).toEqual([]);
    expect(await knowledge.get("a")).toBeNull();
  });

  it("stores documents as they were at the call", async () => {
    const knowledge = knowledgeBase();
    const documents = [{ ...text("a"), metadata: { list: [1] } }];
    const added = knowledge.addDocuments(documents);
    documents[0]?.metadata.list.push(2);
    documents.pop();
    await added;

    expect((await knowledge.get("a"))?.metadata).toEqual({ list: [1] });
  });

  it.each<[string, Partial<EmbeddingProvider>, string]>([
    ["too few vectors", { embedBatch: async () => [[1, 0]] }, "gave 1 vectors for 2 texts"],
    ["too many vectors", { embedBatch: async () => [[1], [1], [1]] }, "gave 3 vectors for 2 texts"],
    ["no list", { embedBatch: async () => null as never }, "gave no vectors for 2 texts"],
    [
      "vectors of two lengths",
      { embedBatch: async () => [[1, 0], [1]] },
      "gave a vector of 1 numbers where 2 were expected",
    ],
    [
      "another length than it says",
      {
        dimensions: 3,
        embedBatch: async () => [
          [1, 0],
          [1, 0],
        ],
      },
      "gave a vector of 2 numbers where 3 were expected",
    ],
    ["what is no vector", { embedBatch: async () => ["ab", "cd"] as never }, "gave a vector that cannot be compared"],
    [
      "vectors without direction",
      {
        embedBatch: async () => [
          [1, 0],
          [0, 0],
        ],
      },
      "gave a vector that cannot be compared",
    ],
    ["vectors of no numbers", { embedBatch: async () => [[NaN], [1]] }, "gave a vector that cannot be compared"],
  ])("fails when the embeddings return %s", async (_, wrong, problem) => {
    const embeddings = { providerId: "fake", embed: async () => [], embedBatch: async () => [], ...wrong };
    const knowledge = new KnowledgeBase({ name: "a", vectorStore: new InMemoryVectorStore(), embeddings });

    await expect(knowledge.addDocuments(texts(2))).rejects.toMatchObject({
      code: "model_failed",
      message: expect.stringContaining(`The embeddings of fake ${problem}`),
      fields: { vendor: "fake", count: 2 },
    });
    await expect(knowledge.search("text")).rejects.toMatchObject({ code: "model_failed" });
    expect(await knowledge.get("d0")).toBeNull();
  });

  it("ends at once when its signal aborts, whatever hangs, and leaves no listener", async () => {
    const hang = async () => await new Promise<never>(() => {});
    const { waiting, embeddings } = waitingEmbeddings();
    const { signal, abort } = abortable();
    const options = { vectorStore: { ...plainStore(), upsert: hang, search: hang }, embeddings };
    const knowledge = new KnowledgeBase({ name: "a", ...options });
    const calls = [
      knowledge.addDocuments(texts(2), { signal }),
      knowledge.addDocuments([at("a", [1, 0])], { signal }),
      knowledge.add(text("a"), { signal }),
      knowledge.search("text", { signal }),
      knowledge.search([1, 0], { signal }),
    ];
    const ends = Promise.allSettled(calls);
    await soon();
    abort();

    for (const end of await ends) expect(end).toMatchObject({ reason: { code: "cancelled" } });
    expect(getEventListeners(signal, "abort")).toEqual([]);
    expect(waiting).toHaveLength(2);
    await expect(knowledge.search("text", { signal })).rejects.toMatchObject({ code: "cancelled" });
  });
});

function abortable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
