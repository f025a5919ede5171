import { describe, expect, it, onTestFinished, vi } from "vitest";
import { TroupeError } from "../base/errors/troupe-error.ts";
import { FakeEmbeddings } from "../testing/fake-embeddings.ts";
import { InMemoryVectorStore } from "./vector/in-memory-vector-store.ts";
import type { VectorChange, VectorDocument, VectorStore } from "./vector/vector-store.ts";
import { KnowledgeBase } from "./knowledge-base.ts";
import { toPieces } from "./pieces.ts";
import { long, openKnowledge, pieceIds, short, smallPieces } from "./test/long-documents.ts";
import { plainStore, writingStore } from "./test/plain-store.ts";

describe("pieces of long documents", () => {
  it("replace old ones by one write [knowledge.replace]", async () => {
    const store = writingStore();
    const changes: VectorChange[] = [];
    const write = async (change: VectorChange) => (changes.push(change), await store.write(change));
    const knowledge = openKnowledge({ ...store, write });
    await knowledge.add(long("a", 20));
    const count = changes[0]?.upsert?.length;
    await knowledge.add(long("a", 10));

    expect(changes).toHaveLength(2);
    expect(count).toBeGreaterThan(changes[1]?.upsert?.length ?? 0);
    expect(changes[1]).toMatchObject({ delete: ["kb/a"], deleteWhere: { documentId: "a", troupe_collection: "kb" } });
  });

  it.each([
    ["a shorter one", long("a", 8)],
    ["a short one", short("a")],
  ])(
    "pieces of long documents of another writer are gone when %s is stored for the first time at the same moment [knowledge.replace]",
    async (_kind, version) => {
      const store = writingStore();
      const other = openKnowledge(store);
      let isFirst = true;
      const write = async (change: VectorChange) => {
        // Both have seen that the store has nothing of the document.
        if (isFirst) await ((isFirst = false), other.add(long("a", 40)));
        await store.write(change);
      };
      const knowledge = openKnowledge({ ...store, write });
      await knowledge.addDocuments([version]);

      expect(await knowledge.get("a")).toMatchObject(version);
      const ids = await knowledge.idsOf();
      expect(ids).toEqual(version.content.length < 20 ? ["a"] : pieceIds("a", ids.length));
    },
  );

  it("are of one version for a reader when the document is replaced between two of its reads", async () => {
    const store = plainStore();
    const cut = { chunking: { size: 60, overlap: 0 } };
    const writer = openKnowledge(store, cut);
    const versions = [long("a", 20, "Old"), long("a", 20, "New")];
    await writer.add(versions[0] as VectorDocument);
    let isFirst = true;
    const get = async (id: string) => {
      if (isFirst && id.endsWith("#3")) await ((isFirst = false), writer.add(versions[1] as VectorDocument));
      return await store.get(id);
    };

    expect(versions).toContainEqual(await openKnowledge({ ...store, get }, cut).get("a"));
  });

  it("are of one version for a reader that reads them by their ids while the document is replaced [knowledge.replace]", async () => {
    const store = plainStore();
    const cut = { chunking: { size: 60, overlap: 0 } };
    const writer = openKnowledge(store, cut);
    const versions = [long("a", 60, "Old"), long("a", 60, "New")];
    await writer.add(versions[0] as VectorDocument);
    let isFirst = true;
    const get = async (id: string) => {
      if (isFirst && id.endsWith("#9")) await ((isFirst = false), writer.add(versions[1] as VectorDocument));
      return await store.get(id);
    };
    const search: VectorStore["search"] = async () => await Promise.resolve([]);

    expect(await openKnowledge({ ...store, get, search }, cut).get("a")).toEqual(versions[1]);
  });

  it("are of one version for a reader during whose reads the document is replaced again and again [knowledge.replace]", async () => {
    const store = plainStore();
    const writer = openKnowledge(store, { chunking: { size: 60, overlap: 0 } });
    const versions = Array.from({ length: 20 }, (_, number) => long("a", 60 - number, `Version ${number}`));
    await writer.add(versions.shift() as VectorDocument);
    const get = async (id: string) => {
      const version = id.endsWith("#9") && versions.shift();
      if (version) await writer.add(version);
      return await store.get(id);
    };
    const search: VectorStore["search"] = async () => await Promise.resolve([]);
    const reader = openKnowledge({ ...store, get, search }, { chunking: { size: 60, overlap: 0 } });

    expect(await reader.get("a")).toEqual(long("a", 41, "Version 19"));
  });

  it("are given up as a conflict, not as damaged, when the document is replaced during each reading", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const store = plainStore();
    const writer = openKnowledge(store);
    await writer.add(long("a", 60));
    let version = 0;
    const get = async (id: string) => {
      if (id.endsWith("#5")) await writer.add(long("a", 60, `Version ${++version}`));
      return await store.get(id);
    };
    const search: VectorStore["search"] = async () => await Promise.resolve([]);
    const read = Promise.allSettled([openKnowledge({ ...store, get, search }).get("a")]);
    await vi.advanceTimersByTimeAsync(10_000);

    const message = 'The pieces of the document "a" are being replaced again and again. Try again later.';
    expect(await read).toMatchObject([{ reason: { code: "conflict", message } }]);
  });

  it("are all of one version for a reader while the document is replaced", async () => {
    const store = new InMemoryVectorStore();
    const [writer, reader] = [openKnowledge(store), openKnowledge(store)];
    const versions = [long("a", 20, "Old"), long("a", 20, "New"), long("a", 30, "Big"), short("a")];
    await writer.add(versions[0] as VectorDocument);
    const contents = versions.map(({ content }) => content);
    for (let round = 0; round < 40; round++) {
      const written = writer.add(versions[round % 4] as VectorDocument);
      for (let read = 0; read < 6; read++) expect(contents).toContain((await reader.get("a"))?.content);
      await written;
    }
  });

  it("are read by their ids when a search does not find all of them yet", async () => {
    const whole = plainStore();
    const search: VectorStore["search"] = async (...given) => (await whole.search(...given)).slice(1);
    const knowledge = openKnowledge({ ...whole, search });
    await knowledge.add(long("a", 60));

    expect(await knowledge.get("a")).toEqual(long("a", 60));
  });

  it("pieces of long documents of two versions are reported, and mended by adding the document again", async () => {
    const store = plainStore();
    let left = Infinity;
    const upsert = async (document: VectorDocument) => {
      if (left-- <= 0) throw new TroupeError("storage_unavailable", "Gone.");
      await store.upsert(document);
    };
    const knowledge = openKnowledge({ ...store, upsert });
    await knowledge.add(long("a", 20, "Old"));
    left = 2;
    await expect(knowledge.addDocuments([long("a", 20, "Newer")])).rejects.toMatchObject({ notStored: ["a"] });
    const corrupt = {
      code: "storage_corrupt",
      message: 'The pieces of the document "a" do not fit together: it was replaced only in part. Add it again.',
    };
    await expect(knowledge.get("a")).rejects.toMatchObject(corrupt);
    left = Infinity;
    await knowledge.add(long("a", 8));

    expect(await knowledge.get("a")).toEqual(long("a", 8));
    expect(await knowledge.idsOf()).toEqual(pieceIds("a", (await knowledge.idsOf()).length));
  });

  it("are not deleted with a document of which there are none, whatever metadata others have", async () => {
    const store = new InMemoryVectorStore();
    const [knowledge, whole] = [openKnowledge(store), openKnowledge(store, { chunking: false })];
    await whole.add({ ...short("by-hand"), metadata: { documentId: "book" } });
    await knowledge.addDocuments([short("book"), long("book")]);
    await knowledge.delete("shelf");

    expect(await knowledge.get("by-hand")).toMatchObject({ metadata: { documentId: "book" } });
  });

  it("pieces of long documents of a document are stored when all of them have vectors, or not at all [knowledge.replace]", async () => {
    const fake = new FakeEmbeddings();
    let calls = 0;
    const embedBatch = async (texts: readonly string[]) => {
      if (++calls > 2) throw new TroupeError("rate_limited", "Too fast.");
      return await fake.embedBatch(texts);
    };
    const embeddings = { embed: async (text: string) => await fake.embed(text), embedBatch };
    const options = { embeddings, chunking: smallPieces, batchSize: 4, concurrency: 1 };
    const knowledge = new KnowledgeBase({ name: "kb", vectorStore: new InMemoryVectorStore(), ...options });
    const documents = [short("a"), long("b", 8), long("c", 40), short("d")];

    await expect(knowledge.addDocuments(documents)).rejects.toMatchObject({
      code: "rate_limited",
      notStored: ["c", "d"],
    });
    expect(await knowledge.get("b")).toEqual(long("b", 8));
    expect(await knowledge.get("c")).toBeNull();
    expect(await knowledge.search("page", { filter: { documentId: "c" } })).toEqual([]);
  });
});

it("toPieces reads few of many headings and positions for each piece", () => {
  let reads = 0;
  const content = "# é\n".repeat(20_000);
  const places = Array.from({ length: 20_000 }, (_, index) => ({
    row: index + 1,
    get start() {
      reads += 1;
      return index * 4;
    },
  }));
  const ranges = Array.from({ length: 2000 }, (_, index) => ({ start: index * 40, end: index * 40 + 40 }));
  const pieces = toPieces({ id: "a", content }, ranges, places);

  expect(pieces[1]?.metadata?.["documentPlace"]).toEqual({ headings: "é", rows: "11 to 20" });
  expect(reads).toBeLessThan(300_000);
});

it("toPieces takes positions in any order", () => {
  const places = [
    { start: 4, page: 2 },
    { start: 0, page: 1 },
  ];
  const ranges = [
    { start: 0, end: 4 },
    { start: 4, end: 8 },
  ];
  const pieces = toPieces({ id: "a", content: "one two " }, ranges, places);

  expect(pieces.map(({ metadata }) => metadata?.["documentPlace"])).toEqual([{ page: 1 }, { page: 2 }]);
});
