import type { VectorDocument, VectorSearchResult } from "./vector/vector-store.ts";

/**
 * A result of a search in a knowledge base. `score` is the cosine of the vectors, from 1 to -1; null for a document
 * that was found by its words alone. `rank` is the position in the joined results, from 1; absent in a search by
 * vectors alone.
 */
export type KnowledgeSearchResult = { document: VectorDocument; score: number | null; rank?: number };

/** The usual constant of reciprocal rank fusion. A lower constant gives more weight to the first ranks. */
const fusion = 60;

/**
 * Joins the results of a search by vectors and of a search by words, best first, by reciprocal rank fusion: for each
 * list, a document's score grows by 1 / (its rank + a constant).
 */
export function joinResults(
  byVector: readonly VectorSearchResult[],
  byText: readonly VectorSearchResult[],
): KnowledgeSearchResult[] {
  const joined = new Map<string, KnowledgeSearchResult & { points: number }>();
  for (const [index, { document, score }] of byVector.entries())
    joined.set(document.id, { document, score, points: 1 / (fusion + index + 1) });
  for (const [index, { document }] of byText.entries()) {
    const points = 1 / (fusion + index + 1);
    const known = joined.get(document.id);
    if (known === undefined) joined.set(document.id, { document, score: null, points });
    else known.points += points;
  }
  const sorted = [...joined.values()].toSorted((one, other) => other.points - one.points);
  return withRanks(sorted.map(({ document, score }) => ({ document, score })));
}

/** Adds the rank, from 1, to ordered results. */
export function withRanks(results: readonly KnowledgeSearchResult[]): KnowledgeSearchResult[] {
  return results.map(({ document, score }, index) => ({ document, score, rank: index + 1 }));
}
