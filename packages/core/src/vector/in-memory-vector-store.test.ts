import assert from "node:assert/strict";
import { describe, expect, it } from "vitest";
import { TroupeError } from "../errors/troupe-error.ts";
import type { ErrorCode } from "../errors/troupe-error.ts";
import type { EmbeddingProvider } from "./embedding-provider.ts";
import { InMemoryVectorStore } from "./in-memory-vector-store.ts";
import type { VectorDocument, VectorSearchOptions, VectorStore } from "./vector-store.ts";

type WholeStore = Required<VectorStore>;

const rejects = (promise: Promise<unknown>, code: ErrorCode, message = "") =>
  assert.rejects(promise, (error) => TroupeError.is(error) && error.code === code && error.message.includes(message));

const at = (id: string, embedding: number[], metadata?: Record<string, unknown>): VectorDocument => ({
  id,
  content: `content of ${id}`,
  embedding,
  ...(metadata && { metadata }),
});

async function fill(store: VectorStore, ...documents: VectorDocument[]): Promise<void> {
  for (const document of documents) await store.upsert(document);
}

async function idsOf(store: VectorStore, embedding: number[], options?: VectorSearchOptions): Promise<string[]> {
  return (await store.search(embedding, options)).map(({ document }) => document.id);
}

const badIds: unknown[] = ["", "a\0b", "\ud800", "x".repeat(1025), undefined, { $ne: null }];
const badVectors: unknown[] = [
  [],
  [0, 0],
  [1e-50, 0],
  [1, NaN],
  [1, Infinity],
  [1, 1e39],
  [3e38, 3e38],
  [1, "1"],
  [1, null],
  "ab",
  { 0: 1, 1: 1, length: 2 },
  null,
];

/** Stores here are made with `dimensions: 2`. */
const cases = {
  "gives a document back with its embedding in 32-bit floats [vector.get]": async (store) => {
    const document = { ...at("a", [0.1, -1e20], { list: [1] }), content: "a\0😀\u2028" };
    await store.upsert(document);

    assert.deepEqual(await store.get("a"), { ...document, embedding: [Math.fround(0.1), Math.fround(-1e20)] });
    assert.equal(await store.get("b"), null);
  },
  "replaces a document of the same id as a whole [vector.upsert]": async (store) => {
    await fill(store, at("a", [1, 0], { old: true }), at("b", [1, 1]), at("a", [0, 1]));

    assert.deepEqual(await store.get("a"), at("a", [0, 1]));
    assert.deepEqual(await idsOf(store, [1, 0]), ["b", "a"]);
  },
  "touches only the document of exactly this id": async (store) => {
    const ids = [
      "x'] or id != '",
      "%",
      "_",
      "a",
      "A",
      "a ",
      "é",
      "e\u0301",
      "__proto__",
      "constructor",
      '{"$ne":null}',
      "a/b",
      "😀",
    ];
    for (const id of ids) await store.upsert(at(id, [1, 0]));
    for (const id of ids) assert.equal((await store.get(id))?.id, id);
    for (const id of ["x' or '1'='1", "toString", "aa"]) {
      assert.equal(await store.get(id), null);
      await store.delete(id);
    }
    await store.delete("%");
    await store.delete("a");

    assert.deepEqual((await idsOf(store, [1, 0], { topK: 100 })).length, ids.length - 2);
    assert.equal((await store.get("A"))?.id, "A");
  },
  "deletes, and does not mind an absent id [vector.delete]": async (store) => {
    await fill(store, at("a", [1, 0]), at("b", [1, 1]), at("c", [0, 1]));
    await store.delete("a");
    await store.delete("a");

    assert.equal(await store.get("a"), null);
    assert.deepEqual(await idsOf(store, [1, 0]), ["b", "c"]);
    assert.deepEqual((await store.get("c"))?.embedding, [0, 1]);
    await store.delete("c");
    await store.delete("b");
    assert.deepEqual(await store.search([1, 0]), []);
  },
  "is empty after a clear, and usable [vector.clear]": async (store) => {
    await store.upsert(at("a", [1, 0]));
    await store.clear();
    await store.clear();

    assert.equal(await store.get("a"), null);
    assert.deepEqual(await store.search([1, 0]), []);
    await store.upsert(at("b", [0, 1]));
    assert.deepEqual(await idsOf(store, [1, 0]), ["b"]);
  },
  "finds nothing in an empty store [vector.in-memory]": async (store) => {
    assert.deepEqual(await store.search([1, 0], { topK: 5, minScore: 0, filter: { a: 1 } }), []);
  },
  "shares no object with its callers": async (store) => {
    const metadata = { list: [1] };
    const document = at("a", [1, 0], metadata);
    await store.upsert(document);
    document.embedding?.fill(9);
    metadata.list.push(2);
    const [found] = await store.search([1, 0]);
    for (const given of [await store.get("a"), found?.document]) {
      given?.embedding?.fill(9);
      Object.assign(given?.metadata ?? {}, { list: [3] });
    }

    assert.deepEqual(await store.get("a"), at("a", [1, 0], { list: [1] }));
  },
  "refuses ids that not every database can hold": async (store) => {
    for (const bad of badIds as string[]) {
      await rejects(store.upsert(at(bad, [1, 0])), "invalid_value", "document id");
      await rejects(store.get(bad), "invalid_value", "document id");
      await rejects(store.delete(bad), "invalid_value", "document id");
      assert.throws(() => store.collection(bad), { code: "invalid_value", message: /collection name/ });
    }
  },
  "refuses vectors that have no direction or another length, and keeps what was there": async (store) => {
    await store.upsert(at("a", [1, 0]));
    for (const bad of badVectors as number[][]) {
      if (bad !== null) await rejects(store.upsert(at("a", bad)), "invalid_value", "embedding");
      await rejects(store.search(bad), "invalid_value", "embedding");
    }
    await rejects(store.upsert(at("a", [1, 0, 0])), "invalid_value", "3 numbers, but this store holds vectors of 2");
    await rejects(store.search([1]), "invalid_value", "1 numbers, but this store holds vectors of 2");

    assert.deepEqual(await store.get("a"), at("a", [1, 0]));
  },
  "refuses content and metadata that not every database can hold": async (store) => {
    for (const content of [undefined, 5, "\ud800"] as string[]) {
      await rejects(store.upsert({ id: "a", content, embedding: [1, 0] }), "invalid_value", "content");
    }
    for (const value of [1n, NaN, new Date(), () => 1, "\ud800", [undefined]]) {
      await rejects(store.upsert(at("a", [1, 0], { deep: [value] })), "invalid_value", "metadata.deep[0]");
    }
    for (const metadata of [[], "text", null] as unknown as Record<string, unknown>[]) {
      await rejects(store.upsert({ ...at("a", [1, 0]), metadata }), "invalid_value", "metadata must be an object");
    }

    assert.equal(await store.get("a"), null);
  },
  "keeps collections apart from the store and from each other": async (store) => {
    const [one, other] = [store.collection("one"), store.collection("__proto__")];
    await fill(store, at("a", [1, 0]));
    await fill(one, at("a", [0, 1]), at("b", [1, 1]));

    assert.deepEqual(await store.get("a"), at("a", [1, 0]));
    assert.deepEqual(await idsOf(one, [1, 0]), ["b", "a"]);
    assert.deepEqual(await idsOf(other, [1, 0]), []);
    assert.deepEqual(await idsOf(store.collection("one"), [1, 0]), ["b", "a"]);
    await store.clear();
    assert.equal((await store.collection("one").get("b"))?.id, "b");
    await one.clear();
    assert.deepEqual(await store.collection("one").search([1, 0]), []);
  },
  "closes a view alone, and all views with the store": async (store) => {
    const [first, second] = [store.collection("c"), store.collection("c")];
    await first.upsert(at("a", [1, 0]));
    await first.close();

    await rejects(first.get("a"), "storage_unavailable");
    assert.equal((await second.get("a"))?.id, "a");
    await store.close();
    await rejects(second.get("a"), "storage_unavailable");
  },
  "refuses every call after it was closed, and closes twice [vector.close]": async (store) => {
    await store.upsert(at("a", [1, 0]));
    await store.close();
    await store.close();

    for (const call of [
      store.upsert(at("a", [1, 0])),
      store.search([1, 0]),
      store.get("a"),
      store.delete("a"),
      store.clear(),
    ]) {
      await rejects(call, "storage_unavailable", "closed");
    }
    assert.throws(() => store.collection("c"), { code: "storage_unavailable" });
  },
} satisfies Record<string, (store: WholeStore) => Promise<void>>;

describe("InMemoryVectorStore", () => {
  it.each(Object.entries(cases))("%s", async (_title, check) => {
    await check(new InMemoryVectorStore({ dimensions: 2 }));
  });

  it.each(Object.entries(cases))("as a collection: %s", async (_title, check) => {
    await check(new InMemoryVectorStore({ dimensions: 2 }).collection("inner"));
  });
});

/** Points north for "north", else east; each text is noted. */
class Compass implements EmbeddingProvider {
  readonly dimensions = 2;
  readonly texts: string[] = [];

  async embed(text: string): Promise<number[]> {
    this.texts.push(text);
    return text === "north" ? [0, 1] : [1, 0];
  }

  embedBatch(texts: readonly string[]): Promise<number[][]> {
    return Promise.all(texts.map((text) => this.embed(text)));
  }
}

describe("InMemoryVectorStore with embeddings", () => {
  it("makes the vectors of documents that come without, in collections too", async () => {
    const embeddings = new Compass();
    const store = new InMemoryVectorStore({ embeddings });
    await fill(store, { id: "n", content: "north" }, { id: "given", content: "north", embedding: [1, 0] });
    await store.collection("c").upsert({ id: "e", content: "east" });

    expect(embeddings.texts).toEqual(["north", "east"]);
    expect(await idsOf(store, [0, 1])).toEqual(["n", "given"]);
    expect((await store.collection("c").get("e"))?.embedding).toEqual([1, 0]);
  });

  it("stores the document as it was when it was given", async () => {
    const store = new InMemoryVectorStore({ embeddings: new Compass() });
    const document = { id: "n", content: "north", metadata: { list: [1] } };
    const stored = store.upsert(document);
    document.content = "changed";
    document.metadata.list.push(2);
    await stored;

    expect(await store.get("n")).toEqual({ id: "n", content: "north", metadata: { list: [1] }, embedding: [0, 1] });
  });

  it("stores nothing when it is closed while an embedding is made", async () => {
    const store = new InMemoryVectorStore({ embeddings: new Compass() });
    const stored = store.upsert({ id: "n", content: "north" });
    await store.close();

    await expect(stored).rejects.toMatchObject({ code: "storage_unavailable" });
  });

  it("says how to mend a document without an embedding", async () => {
    await expect(new InMemoryVectorStore().upsert({ id: "a", content: "a" })).rejects.toMatchObject({
      code: "invalid_value",
      message: "The document has no embedding: give it one, or give the store `embeddings` to make them.",
    });
  });
});

describe("InMemoryVectorStore dimensions", () => {
  it("takes the length of the first vector, each collection for itself, until it is cleared", async () => {
    const store = new InMemoryVectorStore();
    await store.upsert(at("a", [1, 0, 0]));
    await store.collection("c").upsert(at("a", [1, 0]));

    await expect(store.upsert(at("b", [1, 0]))).rejects.toMatchObject({ code: "invalid_value" });
    await store.clear();
    await store.upsert(at("b", [1, 0]));
  });

  it("takes those of the embeddings", async () => {
    const store = new InMemoryVectorStore({ embeddings: new Compass() });

    await expect(store.upsert(at("a", [1, 0, 0]))).rejects.toMatchObject({ code: "invalid_value" });
  });

  it.each([{ dimensions: 0 }, { dimensions: 1.5 }, { dimensions: NaN }, { dimensions: 3, embeddings: new Compass() }])(
    "refuses %o",
    (options) => {
      expect(() => new InMemoryVectorStore(options)).toThrow(expect.objectContaining({ code: "invalid_config" }));
    },
  );
});
