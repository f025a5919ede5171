import type { KnowledgeSearchResult, Rerank } from "@troupe/core";

/**
 * A `rerank` without a model, in place of a vendor's: the sum of a result's cosine and of its share of the query's
 * words, rare words among the results weighing more, both as standard scores.
 */
export const weighAgain: Rerank = (query, results) => {
  const words = [...new Set(toStems(query))];
  const texts = results.map(({ document }) => new Set(toStems(document.content)));
  const weights = words.map((word) =>
    Math.log(1 + results.length / (1 + texts.filter((text) => text.has(word)).length)),
  );
  const shares = texts.map((text) =>
    words.reduce((sum, word, index) => sum + (text.has(word) ? (weights[index] ?? 0) : 0), 0),
  );
  const known = results.flatMap(({ score }) => score ?? []);
  const least = Math.min(...known);
  const cosines = toStandard(results.map(({ score }) => score ?? least));
  const points = toStandard(shares).map((share, index) => share + (cosines[index] ?? 0));
  const rated = results.map((result, index) => ({ result, points: (points[index] ?? 0) - index / results.length }));
  return rated.toSorted((one, other) => other.points - one.points).map(({ result }): KnowledgeSearchResult => result);
};

function toStems(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []).map((word) => word.slice(0, 6));
}

function toStandard(values: readonly number[]): number[] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
  return values.map((value) => (spread === 0 ? 0 : (value - mean) / spread));
}
