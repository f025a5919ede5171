import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { FakeEmbeddings } from "../testing/fake-embeddings.ts";
import { InMemoryVectorStore } from "./vector/in-memory-vector-store.ts";
import type { VectorDocument } from "./vector/vector-store.ts";
import { KnowledgeBase } from "./knowledge-base.ts";
import type { KnowledgeBaseConfig } from "./knowledge-base-config.ts";
import { writingStore } from "./test/plain-store.ts";

const text = (id: string, content = `content of ${id}`): VectorDocument => ({ id, content });
const withVector = (id: string, content = id): VectorDocument => ({ id, content, embedding: [1, 0] });

/** A knowledge base that notes the ids of each change of its store, and the texts of each embedding call. */
function notingBase(config: Partial<KnowledgeBaseConfig> = {}) {
  const store = writingStore();
  const embeddings = new FakeEmbeddings();
  const writes: string[][] = [];
  const vectorStore = {
    ...store,
    write: async (change: Parameters<typeof store.write>[0]) => {
      writes.push((change.upsert ?? []).map(({ id }) => id.replace("kb/", "")));
      await store.write(change);
    },
  };
  const base = new KnowledgeBase({ name: "kb", vectorStore, embeddings, concurrency: 1, ...config });
  return { base, writes, calls: () => embeddings.calls.map(({ texts }) => texts) };
}

describe("The batches of addDocuments", () => {
  it("are documents with vectors first, then texts, each of at most batchSize", async () => {
    const { base, writes, calls } = notingBase({ batchSize: 2, chunking: false });
    const documents = [text("a"), withVector("b"), text("c"), withVector("d"), withVector("e"), text("f")];
    await base.addDocuments(
      documents.map(({ embedding, ...rest }) => ({
        ...rest,
        ...(embedding && { embedding: Array.from({ length: 256 }, () => 1) }),
      })),
    );

    expect(writes).toEqual([["b", "d"], ["e"], ["a", "c"], ["f"]]);
    expect(calls()).toEqual([["content of a", "content of c"], ["content of f"]]);
  });

  it.each([
    [
      [2 ** 19, 2 ** 19, 1],
      [["d0", "d1"], ["d2"]],
    ],
    [
      [2 ** 19, 2 ** 19 + 1],
      [["d0"], ["d1"]],
    ],
    [
      [2 ** 21, 0],
      [["d0"], ["d1"]],
    ],
    [[0, 2 ** 20, 0], [["d0", "d1", "d2"]]],
  ])(
    "the batches of addDocuments of documents with vectors of the lengths %j have at most 2 ** 20 characters",
    async (lengths, batches) => {
      const { base, writes } = notingBase({ chunking: false });
      await base.addDocuments(lengths.map((length, index) => withVector(`d${index}`, "x".repeat(length))));

      expect(writes).toEqual(batches);
    },
  );

  it("store a document in pieces when all of its pieces have vectors, and not before", async () => {
    const { base, writes, calls } = notingBase({
      batchSize: 2,
      chunking: (content) => Array.from(content, (_, start) => ({ start, end: start + 1 })),
    });
    await base.addDocuments([text("a", "xyz"), text("b", "u"), text("c", "vw")]);

    expect(calls()).toEqual([
      ["x", "y"],
      ["z", "u"],
      ["v", "w"],
    ]);
    expect(writes).toEqual([["b"], ["a#1", "a#2", "a#3"], ["c#1", "c#2"]]);
    expect(await base.get("a")).toEqual({ id: "a", content: "xyz" });
  });

  it("embed the last of several documents with one id, in the place of the first", async () => {
    const { base, calls } = notingBase();
    await base.addDocuments([text("a", "old"), text("b"), text("a", "new")]);

    expect(calls()).toEqual([["new", "content of b"]]);
  });

  it("count documents with one id once in the error", async () => {
    const fail = async () => await Promise.reject(new Error("planned"));
    const { base } = notingBase({ embeddings: { providerId: "p", embed: fail, embedBatch: fail } });

    await expect(base.addDocuments([text("a", "old"), text("a"), withVector("b")])).rejects.toMatchObject({
      message: '1 of 2 documents were not stored ("a"): Something went wrong in this service.',
      notStored: ["a"],
      fields: { count: 1 },
    });
  });
});

describe("The refusals of addDocuments", () => {
  const split = { chunking: { size: 10, overlap: 0 } };
  const long = "word ".repeat(30);

  it("name the document's index, the problem and the cause", async () => {
    const { base } = notingBase();

    await expect(base.addDocuments([text("a"), text("")])).rejects.toMatchObject({
      name: "TroupeError",
      code: "invalid_value",
      message: "documents[1] cannot be stored. The document id must not be empty.",
      cause: { message: "The document id must not be empty." },
    });
    await expect(base.addDocuments([{ ...withVector("a"), embedding: [] }])).rejects.toMatchObject({
      code: "invalid_value",
      message: "documents[0] cannot be stored. The embedding must be a non-empty array of numbers.",
    });
    await expect(base.add(text(""))).rejects.toMatchObject({ message: "The document id must not be empty." });
  });

  it("name a missing embeddings provider, in their own code", async () => {
    const base = new KnowledgeBase({ name: "kb", vectorStore: writingStore() });
    const message =
      "There are no embeddings. To use text, give `embeddings` to the knowledge base or to its vector store; otherwise give vectors.";

    await expect(base.addDocuments([text("a")])).rejects.toMatchObject({
      code: "invalid_config",
      message: `documents[0] cannot be stored. ${message}`,
    });
    await expect(base.search("a")).rejects.toMatchObject({ code: "invalid_config", message });
  });

  it("name both ids when one has the form of a piece of the other, which is split", async () => {
    const { base, calls } = notingBase(split);
    const refusal = {
      code: "conflict",
      message: 'The id "a#7" has the form of a piece of the document "a", which is split. Choose another id.',
    };

    await expect(base.addDocuments([text("a#7"), text("a", long)])).rejects.toMatchObject(refusal);
    await expect(base.addDocuments([text("a", long), text("a#7")])).rejects.toMatchObject(refusal);
    expect(calls()).toEqual([]);
    await base.addDocuments([text("a#7"), text("a"), text("b#0"), text("b", long), text("#1")]);
    expect(await base.get("a#7")).toMatchObject({ id: "a#7" });
  });

  it("name a field that pieces have, where documents may be split", async () => {
    const field = { ...withVector("a"), metadata: { documentId: "x" } };
    const message =
      "metadata.documentId is reserved for pieces of documents. Choose another name for the field, or set `chunking: false`.";

    await expect(notingBase().base.add(field)).rejects.toMatchObject({ code: "invalid_value", message });
    const start = { ...text("a", long), metadata: { start: 1 } };
    await expect(notingBase(split).base.add(start)).rejects.toMatchObject({
      message:
        "metadata.start is reserved for the pieces of the document. Choose another name for the field, or set `chunking: false`.",
    });
    await notingBase().base.add({ ...withVector("a"), metadata: { start: 1, end: 2 } });
    await notingBase({ chunking: false }).base.add(field);
  });
});

it("addDocuments keeps no vectors of documents that are stored until its end", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const made: WeakRef<number[]>[] = [];
  let kept = 0;
  class WatchedEmbeddings extends FakeEmbeddings {
    override async embedBatch(texts: readonly string[]): Promise<number[][]> {
      await setImmediate();
      collectGarbage();
      kept = made.filter((vector) => vector.deref() !== undefined).length;
      const vectors = await super.embedBatch(texts);
      made.push(...vectors.map((vector) => new WeakRef(vector)));
      return vectors;
    }
  }
  const vectorStore = new InMemoryVectorStore({ embeddings: new WatchedEmbeddings() });
  const base = new KnowledgeBase({ name: "kb", vectorStore, batchSize: 5, concurrency: 1 });

  await base.addDocuments(Array.from({ length: 20 }, (_, index) => text(`d${index}`)));

  expect(made).toHaveLength(20);
  // The last batch that was stored may still be referenced.
  expect(kept).toBeLessThanOrEqual(5);
});
