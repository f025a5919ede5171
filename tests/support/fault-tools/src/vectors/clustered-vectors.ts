import assert from "node:assert/strict";
import type { VectorDocument, VectorSearchOptions, VectorStore } from "@troupe/core";
import { matchesFilter } from "@troupe/core/vector";
import { seededRandom } from "../process/seeded-random.ts";

/** A document whose `metadata` names its cluster, and its part within that cluster. */
type ClusteredDocument = VectorDocument & {
  embedding: number[];
  metadata: { cluster: number; part: number };
};

/** Documents in clusters, and vectors to search for, each near one cluster. */
export type ClusteredVectors = { documents: ClusteredDocument[]; queries: number[][] };

/** The size of `clusteredVectors`. */
export type ClusteredVectorsOptions = {
  /** Number of documents. @default 10000 */
  count?: number;
  /** Length of the vectors. @default 128 */
  dimensions?: number;
  /** Number of vectors to search for. @default 50 */
  queries?: number;
  /** Seed of the vectors. @default 1 */
  seed?: number;
};

const clusters = 100;
const parts = 100;

/**
 * Makes vectors in 100 clusters, like those of texts about some subjects. In even noise, an index would find either
 * everything or nothing. With 10,000 documents, a filter on `cluster` matches 1 % in one place, far from most queries;
 * a filter on `part` matches 1 % spread over all clusters.
 */
export function clusteredVectors({
  count = 10_000,
  dimensions = 128,
  queries = 50,
  seed = 1,
}: ClusteredVectorsOptions = {}): ClusteredVectors {
  const random = seededRandom(seed);
  const direction = (length: number) => randomDirection(random, dimensions, length);
  const centres = Array.from({ length: clusters }, () => direction(1));
  const near = (cluster: number): number[] => {
    const noise = direction(0.6);
    return (centres[cluster] ?? []).map((value, index) => Math.fround(value + (noise[index] ?? 0)));
  };
  const documents = Array.from({ length: count }, (_, index) => {
    const [cluster, part] = [index % clusters, Math.floor(index / clusters) % parts];
    return { id: `d${index}`, content: `text ${index}`, embedding: near(cluster), metadata: { cluster, part } };
  });
  return { documents, queries: Array.from({ length: queries }, () => near(Math.floor(random() * clusters))) };
}

function randomDirection(random: () => number, dimensions: number, length: number): number[] {
  // The sum of three random numbers is close to a normal distribution, which has no preferred direction.
  const values = Array.from({ length: dimensions }, () => random() + random() + random() - 1.5);
  const scale = length / Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
  return values.map((value) => value * scale);
}

/**
 * Searches for each query, and returns the share of the truly nearest documents among the found ones, from 0 to 1. At a
 * tie, either document counts. Asserts that each search finds as many documents as possible, that they match the
 * filter, and that their scores are the cosines.
 */
export async function measureRecall(
  store: Pick<VectorStore, "search">,
  { documents, queries }: ClusteredVectors,
  { topK = 10, filter = {} }: Pick<VectorSearchOptions, "topK" | "filter"> = {},
): Promise<number> {
  const matching = documents.filter(({ metadata }) => matchesFilter(metadata, filter));
  const vectors = matching.map(({ embedding }) => Float32Array.from(embedding));
  const wanted = Math.min(topK, matching.length);
  let hits = 0;
  for (const query of queries) {
    const scores = cosines(vectors, Float32Array.from(query));
    const scoreOf = new Map(matching.map(({ id }, index) => [id, scores[index] ?? NaN]));
    const worst = scores.toSorted((one, other) => other - one)[wanted - 1] ?? Infinity;
    const found = await store.search(query, { topK, filter });
    assert.equal(found.length, wanted, `a search found ${found.length} of ${wanted} documents`);
    assert.equal(new Set(found.map(({ document }) => document.id)).size, wanted, "a search found a document twice");
    for (const { document, score } of found) {
      const exact = scoreOf.get(document.id);
      assert.ok(exact !== undefined, `a search found ${document.id}, which its filter leaves out`);
      assert.ok(Math.abs(score - exact) < 1e-5, `${document.id} has the score ${score}, and the cosine ${exact}`);
      if (exact >= worst - 1e-6) hits += 1;
    }
  }
  return hits / (wanted * queries.length);
}

function cosines(vectors: readonly Float32Array[], query: Float32Array): number[] {
  return vectors.map((vector) => {
    let [dot, one, other] = [0, 0, 0];
    for (let index = 0; index < query.length; index++) {
      const [left, right] = [vector[index] ?? NaN, query[index] ?? NaN];
      dot += left * right;
      one += left * left;
      other += right * right;
    }
    return dot / Math.sqrt(one * other);
  });
}
