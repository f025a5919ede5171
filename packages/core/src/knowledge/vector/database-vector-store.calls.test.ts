import { describe, expect, it, vi } from "vitest";
import { DatabaseVectorStore, toDeletingFilter } from "./database-vector-store.ts";
import type { DatabaseVectorStoreInit } from "./database-vector-store.ts";
import type { EmbeddingProvider } from "./embedding-provider.ts";
import type { VectorDatabase } from "./vector-database.ts";
import type { VectorSearchResult } from "./vector-store.ts";

/** A store over a database that notes its calls and finds what the test says. */
function storeOf(init: Partial<DatabaseVectorStoreInit> = {}, found: VectorSearchResult[] = []) {
  const calls: unknown[][] = [];
  const database: VectorDatabase = {
    write: async (...args) => void calls.push(["write", ...args]),
    search: async (...args) => (calls.push(["search", ...args]), found),
    get: async (...args) => (calls.push(["get", ...args]), { id: "a", content: "A" }),
    list: async (...args) => (calls.push(["list", ...args]), { documents: [] }),
    clear: async (...args) => void calls.push(["clear", ...args]),
    rememberModel: async (...args) => (calls.push(["rememberModel", ...args]), "first"),
    close: async () => void calls.push(["close"]),
  };
  const open = vi.fn<() => Promise<VectorDatabase>>(async () => database);
  return { store: new DatabaseVectorStore({ name: "The test's vector store", open, ...init }), calls, open };
}

/** Embeddings whose vectors are the lengths of the texts, and that note what they are asked for. */
function lengths(dimensions?: number) {
  const asked: unknown[] = [];
  const vector = (text: string): number[] => [text.length, 0];
  const embeddings: EmbeddingProvider = {
    ...(dimensions !== undefined && { dimensions }),
    embed: async (text) => (asked.push(text), vector(text)),
    embedBatch: async (texts) => (asked.push([...texts]), texts.map(vector)),
  };
  return { embeddings, asked };
}

const float = (...numbers: number[]) => Float32Array.from(numbers);
const result = (id: string, score: number): VectorSearchResult => ({ document: { id, content: id }, score });
const change = (more: object) => ({ documents: [], deletedIds: [], deletedWhere: undefined, ...more });

describe("a change of a vector store", () => {
  it("has checked copies of its documents with their vectors and lengths, and of two with one id the last", async () => {
    const { store, calls } = storeOf();
    const metadata = { tag: "x" };
    const upsert = [
      { id: "a", content: "old", embedding: [1, 0] },
      { id: "b", content: "B", embedding: [3, 4], metadata },
      { id: "a", content: "new", embedding: [0, 2] },
    ];
    const writing = store.write({ upsert, delete: ["c"], deleteWhere: { tag: "y" } });
    metadata.tag = "changed";
    await writing;
    expect(calls).toEqual([
      [
        "write",
        "",
        {
          documents: [
            { id: "a", content: "new", vector: float(0, 2), length: 2 },
            { id: "b", content: "B", metadata: { tag: "x" }, vector: float(3, 4), length: 5 },
          ].map((document) => expect.objectContaining(document) as object),
          deletedIds: ["c"],
          deletedWhere: { tag: "y" },
        },
      ],
    ]);
  });

  it("asks for the vectors that are missing alone: one by embed, several by embedBatch", async () => {
    const { embeddings, asked } = lengths();
    const { store, calls } = storeOf({ embeddings });
    await store.upsert({ id: "a", content: "four" });
    await storeOf({ embeddings }).store.upsert({ id: "a", content: "own", embedding: [9, 0] });
    await store.write({
      upsert: [
        { id: "b", content: "b" },
        { id: "c", content: "own", embedding: [9, 0] },
        { id: "d", content: "dd" },
      ],
    });
    expect(asked).toEqual(["four", ["b", "dd"]]);
    const vectors = calls.map(([, , written]) =>
      (written as { documents: { id: string; length: number }[] }).documents.map(({ id, length }) => [id, length]),
    );
    expect(vectors).toEqual([
      [["a", 4]],
      [
        ["b", 1],
        ["c", 9],
        ["d", 2],
      ],
    ]);
  });

  it("is none without documents, ids and a filter, and for a filter that finds nothing", async () => {
    const { store, calls, open } = storeOf();
    await store.write({});
    await store.write({ upsert: [], delete: [], deleteWhere: { tag: "\u0000" } });
    expect([calls, open.mock.calls]).toEqual([[], []]);
    await store.delete("a");
    expect(calls).toEqual([["write", "", change({ deletedIds: ["a"] })]]);
  });

  it.each<[what: string, given: object, message: string]>([
    [
      "a document without an embedding",
      { upsert: [{ id: "a", content: "" }] },
      "The document has no embedding. Give it one, or give the store `embeddings`.",
    ],
    ["an empty id to delete", { delete: [""] }, "document id"],
    ["an empty filter", { deleteWhere: {} }, "deleteWhere must not be empty. To remove all documents, call clear()."],
    ["a vector of zeros", { upsert: [{ id: "a", content: "", embedding: [0, 0] }] }, "embedding"],
  ])("with %s is refused before the database is opened", async (_what, given, message) => {
    const { store, open } = storeOf();
    await expect(store.write(given)).rejects.toMatchObject({
      code: "invalid_value",
      message: expect.stringContaining(message) as string,
    });
    expect(open).not.toHaveBeenCalled();
  });
});

describe("a search of a vector store", () => {
  it("is ranked by score and then by the bytes of the ids, within its limits, with scores of a cosine", async () => {
    const found = [result("z", 0.5), result("ä", 0.5), result("a", 1.000_001), result("b", -1.5), result("c", 0.4)];
    const ids = async (options: object) => {
      const results = await storeOf({}, found).store.search([1, 0], options);
      return results.map(({ document, score }) => [document.id, score]);
    };
    expect(await ids({})).toEqual([
      ["a", 1],
      ["z", 0.5],
      ["ä", 0.5],
      ["c", 0.4],
      ["b", -1],
    ]);
    expect((await ids({ topK: 2 })).map(([id]) => id)).toEqual(["a", "z"]);
    expect((await ids({ minScore: 0.5 })).map(([id]) => id)).toEqual(["a", "z", "ä"]);
  });

  it("asks the database with its vector, its length and the options, and not where nothing can be found", async () => {
    const { store, calls, open } = storeOf();
    expect(await store.search([1, 0], { filter: { tag: "\u0000" } })).toEqual([]);
    expect(open).not.toHaveBeenCalled();
    await store.search([3, 4], { topK: 7, minScore: 0.1, filter: { tag: "x" } });
    const search = { vector: float(3, 4), length: 5, topK: 7, minScore: 0.1, filter: { tag: "x" } };
    expect(calls).toEqual([["search", "", search]]);
  });
});

describe("the dimensions of a vector store", () => {
  it("are those that it is given or that its embeddings have", async () => {
    const given = storeOf({ dimensions: 2 }).store;
    const made = storeOf({ embeddings: lengths(2).embeddings }).store;
    for (const store of [given, made]) {
      await expect(store.search([1, 0, 0])).rejects.toMatchObject({ code: "invalid_value" });
      await expect(store.search([1, 0])).resolves.toEqual([]);
    }
    await expect(storeOf().store.search([1, 0, 0])).resolves.toEqual([]);
  });

  it("must be those of the embeddings", () => {
    const { embeddings } = lengths(2);
    expect(() => storeOf({ embeddings, dimensions: 3 })).toThrow(
      expect.objectContaining({
        code: "invalid_config",
        message: "dimensions must be 2, as the embeddings have, got 3.",
      }),
    );
    expect(() => storeOf({ embeddings, dimensions: 2 })).not.toThrow();
  });
});

describe("the collections of a vector store", () => {
  it("have paths of their own, encoded, one within the other, over one connection", async () => {
    const { embeddings } = lengths();
    const { store, calls, open } = storeOf({ embeddings });
    const inner = store.collection("a/b").collection("c d");
    expect(inner.embeddings).toBe(embeddings);
    await inner.clear();
    expect(await inner.rememberModel("m")).toBe("first");
    expect(await store.collection("e").get("a")).toEqual({ id: "a", content: "A" });
    await store.clear();
    expect(calls).toEqual([
      ["clear", "a%2Fb/c%20d"],
      ["rememberModel", "a%2Fb/c%20d", "m"],
      ["get", "e", "a"],
      ["clear", ""],
    ]);
    expect(open).toHaveBeenCalledOnce();
  });

  it("are closed each for itself, and all with their store, whose database is closed once", async () => {
    const { store, calls } = storeOf();
    await store.initialize();
    const [one, other] = [store.collection("one"), store.collection("other")];
    const inner = one.collection("inner");
    await one.close();
    const closed = { code: "storage_unavailable", message: "The test's vector store has been closed." };
    for (const view of [one, inner]) {
      await expect(view.clear()).rejects.toMatchObject(closed);
      await expect(view.get("a")).rejects.toMatchObject(closed);
      await expect(view.search([1])).rejects.toMatchObject(closed);
      await expect(view.write({})).rejects.toMatchObject(closed);
      await expect(view.rememberModel("m")).rejects.toMatchObject(closed);
      expect(() => view.collection("x")).toThrow(expect.objectContaining(closed));
    }
    await other.clear();
    await store.close();
    await store.close();
    await expect(other.clear()).rejects.toMatchObject(closed);
    await expect(store.initialize()).rejects.toMatchObject(closed);
    expect(calls).toEqual([["clear", "other"], ["close"]]);
  });
});

it("a filter of a deletion is checked, and is not empty", () => {
  expect(toDeletingFilter({ tag: "x" })).toEqual({ tag: "x" });
  expect(() => toDeletingFilter({})).toThrow(expect.objectContaining({ code: "invalid_value" }));
  expect(() => toDeletingFilter({ tag: undefined })).toThrow(expect.objectContaining({ code: "invalid_value" }));
});
