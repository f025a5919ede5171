import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoryVectorStore } from "@langchain/classic/vectorstores/memory";
import { Document } from "@langchain/core/documents";
import { FakeEmbeddings } from "@langchain/core/utils/testing";
import { InMemoryVectorStore } from "@troupe/core";
import type { VectorDocument, VectorStore } from "@troupe/core";
import { SqliteVectorStore } from "@troupe/vector-sqlite";

/** A document with its vector, one of `count`; a hundredth of them has the same `part`. */
export type BenchDocument = VectorDocument & { embedding: number[]; metadata: { part: number } };

/** A way to store vectors and to find the nearest ten. */
export type VectorCandidate = {
  insert: (documents: BenchDocument[]) => Promise<void>;
  search: (query: number[]) => Promise<unknown>;
  /** Searches among a hundredth of the documents. */
  searchPart?: (query: number[]) => Promise<unknown>;
  /** Returns the bytes on disk; without it, those in memory count. */
  bytes?: () => number;
  close: () => Promise<void>;
};

/** The candidates by name. */
export const vectorCandidates: Readonly<
  Record<string, (size: { dimensions: number; count: number }) => VectorCandidate>
> = {
  "plain Float32 loop": openPlainLoop,
  "LangChain's MemoryVectorStore": openLangChain,
  InMemoryVectorStore: () => ofStore(new InMemoryVectorStore()),
  SqliteVectorStore: openSqlite,
};

function ofStore(store: VectorStore & Required<Pick<VectorStore, "write">>): VectorCandidate {
  return {
    insert: async (documents) => await store.write({ upsert: documents }),
    search: async (query) => await store.search(query),
    searchPart: async (query) => await store.search(query, { filter: { part: 7 } }),
    close: async () => await store.close(),
  };
}

function openSqlite(): VectorCandidate {
  const folder = mkdtempSync(join(tmpdir(), "troupe-bench-"));
  const file = join(folder, "vectors.db");
  const candidate = ofStore(new SqliteVectorStore(file));
  const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return {
    ...candidate,
    bytes: () => sizeOf(file),
    close: async () => {
      await candidate.close();
      rmSync(folder, { recursive: true });
    },
  };
}

function openLangChain(): VectorCandidate {
  const store = new MemoryVectorStore(new FakeEmbeddings());
  return {
    insert: async (documents) =>
      await store.addVectors(
        documents.map(({ embedding }) => embedding),
        documents.map(({ content, metadata }) => new Document({ pageContent: content, metadata })),
      ),
    search: async (query) => await store.similaritySearchVectorWithScore(query, 10),
    searchPart: async (query) =>
      await store.similaritySearchVectorWithScore(query, 10, ({ metadata }) => metadata["part"] === 7),
    close: async () => {},
  };
}

/** A search written by hand: all vectors in one array, and one loop. */
function openPlainLoop({ dimensions, count }: { dimensions: number; count: number }): VectorCandidate {
  const vectors = new Float32Array(dimensions * count);
  let rows = 0;
  const cosine = (start: number, query: Float32Array): number => {
    let [dot, square] = [0, 0];
    for (let index = 0; index < dimensions; index++) {
      const value = vectors[start + index] as number;
      dot += value * (query[index] as number);
      square += value * value;
    }
    return dot / Math.sqrt(square);
  };
  return {
    insert: async (documents) => {
      for (const { embedding } of documents) vectors.set(embedding, dimensions * rows++);
    },
    search: async (embedding) => {
      const query = Float32Array.from(embedding);
      const scores = Float64Array.from({ length: rows }, (_, row) => cosine(row * dimensions, query));
      return [...scores.keys()].toSorted((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0)).slice(0, 10);
    },
    close: async () => {},
  };
}
