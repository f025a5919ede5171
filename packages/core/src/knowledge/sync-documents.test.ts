import { describe, expect, it } from "vitest";
import { InMemoryVectorStore } from "./vector/in-memory-vector-store.ts";
import { KnowledgeBase } from "./knowledge-base.ts";
import type { SyncDocument, SyncProgress } from "./sync-documents.ts";
import { plainStore } from "./test/plain-store.ts";
import { folder, idsOf, long, open, small } from "./test/synced.ts";

describe("KnowledgeBase.sync", () => {
  it("stores what is new, embeds what has changed, and deletes what is gone", async () => {
    const base = open(undefined, small);
    const first = await base.knowledge.sync(folder({ a: "A", b: "B", c: long }).documents);
    expect(first).toMatchObject({ stored: 3, unchanged: 0, deleted: 0, failed: 0, failures: [] });
    expect(first.pieces).toBeGreaterThan(5);
    expect(first.tokens).toBeGreaterThan(200);
    base.embeddings.calls.length = 0;

    const second = folder({ a: "A", b: "B2", d: "D" });
    expect(await base.knowledge.sync(second.documents)).toMatchObject({ stored: 2, unchanged: 1, deleted: 1 });
    expect(second.reads).toEqual(["b", "d"]);
    expect(base.embeddings.calls.flatMap(({ texts }) => texts).toSorted()).toEqual(["B2", "D"]);
    expect(await idsOf(base)).toEqual(["a", "b", "d"]);
    expect(await base.knowledge.get("c")).toBeNull();
  });

  it.each([true, false])(
    "embeds nothing of what is unchanged, and reads it at most once, with hashes: %s",
    async (hashed) => {
      const base = open(undefined, small);
      const files = { a: "A", c: long };
      await base.knowledge.sync(folder(files, { hashed }).documents);
      base.embeddings.calls.length = 0;
      const again = folder(files, { hashed });

      expect(await base.knowledge.sync(again.documents)).toMatchObject({ stored: 0, unchanged: 2, tokens: 0 });
      expect(base.embeddings.calls).toEqual([]);
      expect(again.reads).toEqual(hashed ? [] : ["a", "c"]);
    },
  );

  it("puts the prefix before ids, and leaves other prefixes and added documents alone", async () => {
    const base = open();
    await base.knowledge.add({ id: "docs/added", content: "Added" });
    await base.knowledge.sync(folder({ a: "A", b: "B" }).documents, { prefix: "docs/" });
    await base.knowledge.sync(folder({ a: "Other" }).documents, { prefix: "docs" });
    await base.knowledge.sync(folder({ "docs/x": "X" }).documents);
    await base.knowledge.sync(folder({ b: "B" }).documents, { prefix: "docs/" });

    expect(await idsOf(base)).toEqual(["docs/added", "docs/b", "docs/x", "docsa"]);
  });

  it("stores everything again when the size of pieces changes", async () => {
    const { vectorStore, knowledge } = open(undefined, small);
    const files = { c: long };
    await knowledge.sync(folder(files).documents);
    const other = open(vectorStore, { chunking: { size: 80, overlap: 4 } });

    expect(await other.knowledge.sync(folder(files).documents)).toMatchObject({ stored: 1, unchanged: 0 });
    expect((await other.knowledge.get("c"))?.content).toBe(long);
  });

  it("reports the counts after each document, and what is left", async () => {
    const seen: SyncProgress[] = [];
    const { documents } = folder({ a: "A", b: "", c: "C" });
    const sized = Object.assign(documents, { size: 3 });
    const onProgress = (progress: SyncProgress) => void seen.push({ ...progress });
    const result = await open().knowledge.sync(sized, { concurrency: 1, onProgress });

    expect(seen.map(({ left }) => left)).toEqual([2, 1, 0]);
    expect(seen.at(-1)).toMatchObject({ stored: 2, failed: 1, pieces: 2 });
    expect(result).toMatchObject(seen.at(-1) ?? {});
  });

  it("lists documents that cannot be read, and keeps their stored version", async () => {
    const base = open();
    await base.knowledge.sync(folder({ a: "A", b: "B" }).documents);
    const broken = (id: string, read: () => unknown) => ({ id, read }) as SyncDocument;
    const { failures } = await base.knowledge.sync([
      broken("a", () => Promise.reject(new Error("The file is broken."))),
      broken("b", () => 5),
      broken("c", () => "  \n"),
      broken("d", () => ({ content: "D", metadata: { documentId: "x" } })),
      ...folder({ e: "E" }).documents,
      ...folder({ e: "E" }).documents,
    ]);

    expect(failures.map(({ id, error }) => [id, error.code])).toEqual([
      ["a", "internal"],
      ["b", "invalid_value"],
      ["c", "invalid_value"],
      ["d", "invalid_value"],
      ["e", "conflict"],
    ]);
    expect(await idsOf(base)).toEqual(["a", "b", "e"]);
  });

  it("deletes nothing when the documents cannot be listed, and closes the iterable after a failure", async () => {
    const base = open();
    await base.knowledge.sync(folder({ a: "A" }).documents);
    async function* failing() {
      yield* folder({ b: "B" }).documents;
      throw new Error("The folder is gone.");
    }
    await expect(base.knowledge.sync(failing())).rejects.toThrow("The folder is gone.");
    expect(await idsOf(base)).toContain("a");

    let isClosed = false;
    async function* endless() {
      try {
        for (let index = 0; ; index++) yield* folder({ [`e${index}`]: "E" }).documents;
      } finally {
        isClosed = true;
      }
    }
    const embeddings = { embed: async () => [1], embedBatch: async () => Promise.reject(new Error("No answer.")) };
    const other = new KnowledgeBase({
      name: "x",
      vectorStore: new InMemoryVectorStore(),
      embeddings: { providerId: "x", ...embeddings },
    });
    await expect(other.sync(endless())).rejects.toMatchObject({ code: "internal" });
    expect(isClosed).toBe(true);
  });

  it("stops at its signal", async () => {
    const signal = AbortSignal.abort();
    const documents = folder({ a: "A" }).documents;

    await expect(open().knowledge.sync(documents, { signal })).rejects.toThrow(expect.anything());
  });

  it("keeps pages and rows of pieces", async () => {
    const base = open(undefined, small);
    const pages = { content: long, places: [0, 400, 800].map((start, index) => ({ start, page: index + 1 })) };
    const lines = Array.from({ length: 60 }, (_, index) => `row ${index} with a value\n`);
    const rows = lines.map((_, index) => ({ start: lines.slice(0, index).join("").length, row: index + 1 }));
    await base.knowledge.sync([
      { id: "pages", read: () => pages },
      { id: "rows", read: () => ({ content: lines.join(""), places: rows }) },
    ]);
    const placesOf = async (documentId: string) =>
      (await base.knowledge.search("x", { topK: 100, filter: { documentId } }))
        .toSorted((one, other) => Number(one.document.metadata?.["start"]) - Number(other.document.metadata?.["start"]))
        .map(({ document }) => document.metadata?.["documentPlace"]);

    expect((await placesOf("pages")).map((place) => (place as { page: number }).page)).toEqual(
      expect.arrayContaining([1, 2, 3]),
    );
    expect((await placesOf("rows"))[0]).toEqual({ rows: expect.stringMatching(/^1 to \d+$/) });
    expect(await base.knowledge.get("pages")).not.toHaveProperty("metadata.documentPlace");
  });

  it.each([
    [{ concurrency: 0 }, "concurrency"],
    [{ prefix: 5 }, "prefix"],
    [{ folder: "x" }, "folder"],
  ])("refuses the options %j", async (options, name) => {
    await expect(open().knowledge.sync([], options as never)).rejects.toThrow(name);
  });

  it("needs a store with a list", async () => {
    await expect(open(plainStore()).knowledge.sync([])).rejects.toMatchObject({ code: "invalid_config" });
  });
});
