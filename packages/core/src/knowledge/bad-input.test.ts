import { describe, expect, it } from "vitest";
import { TroupeError } from "../base/errors/troupe-error.ts";
import { FakeEmbeddings } from "../testing/fake-embeddings.ts";
import { InMemoryVectorStore } from "./vector/in-memory-vector-store.ts";
import type { VectorDocument, VectorStore } from "./vector/vector-store.ts";
import { KnowledgeBase } from "./knowledge-base.ts";
import { longText } from "./test/long-text.ts";
import { plainStore, writingStore } from "./test/plain-store.ts";

const stores = {
  "a store with collections": () => new InMemoryVectorStore(),
  "a store without collections": writingStore,
  "a store with six methods": plainStore,
};

async function filled(vectorStore: VectorStore) {
  const embeddings = new FakeEmbeddings();
  const knowledge = new KnowledgeBase({
    name: "kb",
    vectorStore,
    embeddings,
    chunking: { size: 60 },
    ownsStore: false,
  });
  await knowledge.add({ id: "kept", content: longText(20) });
  const before = await knowledge.search("page", { topK: 1000 });
  const expectUnchanged = async () => {
    expect(await knowledge.search("page", { topK: 1000 })).toEqual(before);
    expect(await knowledge.get("kept")).toEqual({ id: "kept", content: longText(20) });
  };
  return { knowledge, embeddings, expectUnchanged };
}

describe.each(Object.entries(stores))("a KnowledgeBase over %s", (_name, createStore) => {
  const vector = (length: number, value = 1) => Array.from({ length }, () => value);
  it.each<[string, object, string]>([
    ["a vector of another length", { embedding: vector(3) }, "must have 256 numbers, as the store's vectors, got 3"],
    ["a vector with NaN", { embedding: [NaN, ...vector(255)] }, "must have only finite numbers"],
    ["a vector of zeros", { embedding: vector(256, 0) }, "must not be zero"],
    ["an empty id", { id: "" }, "The document id must not be empty"],
    ["an id of 2 KB", { id: "x".repeat(2048) }, "The document id must have at most 1024 bytes"],
    [
      "content of 10 MB",
      { content: "word ".repeat(2 * 2 ** 20) },
      "must have at most 8388608 bytes in UTF-8, got 10485760",
    ],
    ["no content", { content: undefined }, "The content of a document must be a well-formed string"],
    ["a broken surrogate pair", { content: `\ud800${longText(20)}` }, "must be a well-formed string"],
    ["a NUL character", { content: `\0${longText(20)}` }, "must not hold a NUL character"],
    ["metadata that is no JSON", { metadata: { at: new Date() } }, "metadata.at"],
  ])("refuses %s, and keeps what it has [knowledge.bad-input]", async (_wrong, wrong, message) => {
    const { knowledge, expectUnchanged } = await filled(createStore());
    const document = { id: "kept", content: longText(10), ...wrong };
    const refusal = { code: "invalid_value", message: expect.stringContaining(message) };

    await expect(knowledge.add(document)).rejects.toMatchObject(refusal);
    await expect(knowledge.addDocuments([document])).rejects.toMatchObject(refusal);
    await expectUnchanged();
  });

  it.each<[string, { query?: string | number[]; filter?: object; topK?: number }, string]>([
    ["an operator", { filter: { shelf: { $gt: 1 } } }, 'the operator "$gt"'],
    ["$where", { filter: { $where: "sleep(1000)" } }, 'the operator "$where"'],
    ["undefined in a filter", { filter: { shelf: undefined } }, "must not be undefined"],
    ["a vector of another length", { query: [1, 0] }, "must have 256 numbers"],
    ["a vector with NaN", { query: [NaN, ...vector(255)] }, "must have only finite numbers"],
    ["topK 0", { topK: 0 }, "topK must be an integer from 1 to 10000"],
  ])(
    "refuses to search with %s, and embeds nothing [knowledge.bad-input]",
    async (_wrong, { query = "page", ...options }, message) => {
      const { knowledge, embeddings } = await filled(createStore());
      embeddings.calls.length = 0;

      await expect(knowledge.search(query, options as object)).rejects.toMatchObject({
        code: "invalid_value",
        message: expect.stringContaining(message),
      });
      expect(embeddings.calls).toEqual([]);
    },
  );

  it("says that its store is down, and works again when it is back [knowledge.bad-input]", async () => {
    const store = createStore();
    let isDown = false;
    const failing = downWhile(store, () => isDown);
    const { knowledge, expectUnchanged } = await filled(failing);
    isDown = true;
    const down = { code: "storage_unavailable", message: expect.stringContaining("The database is down.") };
    await expect(knowledge.initialize()).rejects.toMatchObject(down);
    await expect(knowledge.add({ id: "kept", content: longText(8) })).rejects.toMatchObject(down);
    await expect(knowledge.add({ id: "new", content: "short" })).rejects.toMatchObject(down);
    const both = [
      { id: "kept", content: longText(8) },
      { id: "new", content: "short" },
    ];
    await expect(knowledge.addDocuments(both)).rejects.toMatchObject({ ...down, notStored: ["kept", "new"] });
    await expect(knowledge.search("page")).rejects.toMatchObject(down);
    await expect(knowledge.get("kept")).rejects.toMatchObject(down);
    await expect(knowledge.delete("kept")).rejects.toMatchObject(down);
    await expect(knowledge.clear()).rejects.toMatchObject(down);
    isDown = false;

    await expectUnchanged();
    await knowledge.addDocuments(both);
    expect(await knowledge.get("kept")).toEqual({ id: "kept", content: longText(8) });
  });
});

/** Fails every call of a store, and of its collections, while it is down. */
function downWhile(store: VectorStore, isDown: () => boolean): VectorStore {
  const failing = {} as Record<string, unknown>;
  for (const name of ["upsert", "search", "get", "delete", "clear", "close", "initialize", "write"] as const) {
    if (store[name] === undefined) continue;
    failing[name] = async (...given: [VectorDocument & string & number[]]) => {
      if (isDown()) throw new TroupeError("storage_unavailable", "The database is down.");
      return await store[name]?.(...given);
    };
  }
  if (store.collection !== undefined) {
    failing["collection"] = (name: string) => downWhile(store.collection?.(name) ?? store, isDown);
  }
  return failing as unknown as VectorStore;
}
