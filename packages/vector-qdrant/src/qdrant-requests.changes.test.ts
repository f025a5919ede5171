import { describe, expect, it } from "vitest";
import { KnowledgeBase } from "@troupe/core";
import { FakeEmbeddings } from "@troupe/core/testing";
import type { QdrantDouble } from "../test/qdrant-double.ts";
import { QdrantVectorStore } from "./qdrant-vector-store.ts";
import { documentAt, idsOf, startStore } from "../test/stores.ts";

const countOf = (double: QdrantDouble, ending: string) =>
  double.requests.filter(({ path }) => path.endsWith(ending)).length;

describe("A change of QdrantVectorStore", () => {
  it("removes old documents when all new ones are there, so that a reader in between misses none [qdrant.readers]", async () => {
    const { double, store } = await startStore();
    const reader = new QdrantVectorStore({ url: double.url });
    const pieces = (n: number) => Array.from({ length: 3 }, (_, index) => documentAt(`p${n}/${index}`, [1, 0], { n }));
    await store.write({ upsert: pieces(0) });
    const seen: string[] = [];
    double.beforeChange = async () => {
      const found = await idsOf(reader);
      const isWhole = (n: number) => pieces(n).every(({ id }) => found.includes(id));
      seen.push(`${isWhole(0) ? "old" : ""}${isWhole(1) ? "new" : ""}`);
    };
    await store.write({ deleteWhere: { n: 0 }, upsert: pieces(1) });

    expect(seen).toEqual(["old", "old", "old", "oldnew", "new", "new"]);
    expect(await idsOf(store)).toEqual(["p1/0", "p1/1", "p1/2"]);
  });

  it("is one request when it is small, and waits until it is made", async () => {
    const { double, store } = await startStore();
    await store.upsert(documentAt("a", [1, 0], { of: "x" }));
    await store.write({ upsert: [documentAt("b", [1, 0], { of: "x" })], delete: ["c"], deleteWhere: { of: "x" } });

    expect(countOf(double, "/batch")).toBe(2);
    expect(await idsOf(store)).toEqual(["b"]);
  });

  it("replaces a document in place: a reader in between finds the old one or the new one, each whole", async () => {
    const { double, store } = await startStore();
    const reader = new QdrantVectorStore({ url: double.url });
    const pieces = (n: number) =>
      ["p0", "p1", "p2"].map((id) => ({ ...documentAt(id, [1, 0], { n }), content: `${n}` }));
    await store.write({ upsert: pieces(0) });
    const seen: string[] = [];
    double.beforeChange = async () => {
      const found = await reader.search([1, 0]);
      seen.push(found.map(({ document }) => `${document.content}${String(document.metadata?.["n"])}`).join());
    };
    await store.write({ deleteWhere: { n: 0 }, upsert: pieces(1) });

    expect(seen).toEqual(["00,00,00", "11,00,00", "11,11,00"]);
  });

  it("is refused when its vectors have more dimensions than Qdrant takes", async () => {
    const { double, store } = await startStore();
    await expect(
      store.upsert(
        documentAt(
          "a",
          Array.from({ length: 65_537 }, () => 1),
        ),
      ),
    ).rejects.toMatchObject({
      code: "invalid_value",
    });
    expect(double.collections.size).toBe(0);
  });

  it("re-adds a split document of a knowledge base, and leaves none of its old pieces", async () => {
    const { double } = await startStore();
    const embeddings = new FakeEmbeddings();
    const base = new KnowledgeBase({
      name: "docs",
      vectorStore: new QdrantVectorStore({ url: double.url, embeddings }),
      chunking: { size: 20, overlap: 0 },
    });
    const text = (word: string, count: number) =>
      Array.from({ length: count }, (_, index) => `Sentence ${index} is about ${word}.`).join(" ");
    await base.add({ id: "a", content: text("rain", 30) });
    await base.add({ id: "b", content: "Snow." });
    await base.add({ id: "a", content: text("sun", 9) });
    const found = await base.search("rain", { topK: 100 });

    expect(found.length).toBeGreaterThan(2);
    expect(found.filter(({ document }) => document.content.includes("rain"))).toEqual([]);
    expect((await base.get("a"))?.content).toBe(text("sun", 9));
    await base.close();
  });

  it("deletes 25,000 documents by their ids", async () => {
    const { store } = await startStore();
    const ids = Array.from({ length: 25_000 }, (_, index) => `d${index}`);
    await store.upsert(documentAt("d24999", [1, 0]));
    await store.write({ delete: ids });

    expect(await idsOf(store)).toEqual([]);
  });
});
