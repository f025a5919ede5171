import { toTroupeError } from "../base/errors/to-troupe-error.ts";
import { TroupeError } from "../base/errors/troupe-error.ts";
import { untilAborted } from "../base/async/until-aborted.ts";
import { isRecord } from "../base/util/is-record.ts";
import { largestTopK } from "./vector/read-search-options.ts";
import type { KnowledgeSearchResult } from "./join-results.ts";

/**
 * Option of a `KnowledgeBase`: reorders the results of a search for a text. It receives up to four times as many
 * results as wanted, best first, and at most 10,000. It returns some or all of them, each once, with the same or new
 * scores; null stays for documents without a score. The first `topK` are the results of the search.
 */
export type Rerank = (
  query: string,
  results: readonly KnowledgeSearchResult[],
  options: { topK: number; signal: AbortSignal | undefined },
) => readonly KnowledgeSearchResult[] | Promise<readonly KnowledgeSearchResult[]>;

/** Returns the number of results that a search finds for `rerank`. */
export function candidatesFor(topK: number): number {
  return Math.min(4 * topK, largestTopK);
}

/** Calls `rerank`, checks its result and cuts it to `topK`. Errors of the function are converted by `toTroupeError`. */
export async function rerankResults(
  rerank: Rerank,
  query: string,
  {
    results,
    topK,
    signal,
  }: { results: readonly KnowledgeSearchResult[]; topK: number; signal: AbortSignal | undefined },
): Promise<KnowledgeSearchResult[]> {
  if (results.length === 0) return [];
  let answer: unknown;
  try {
    answer = await untilAborted(async () => await rerank(query, [...results], { topK, signal }), signal);
  } catch (thrown) {
    throw toTroupeError(thrown, signal);
  }
  if (!Array.isArray(answer)) throw refuse("must return an array of results");
  const given = new Map(results.map(({ document }) => [document.id, document]));
  return answer.map((result, index) => takeResult(given, result, index)).slice(0, topK);
}

/**
 * Removes a result from the map of given results, so that a repeated result is detected. Returns the result with the
 * original document.
 */
function takeResult(
  given: Map<string, KnowledgeSearchResult["document"]>,
  result: unknown,
  index: number,
): KnowledgeSearchResult {
  const { document, score } = isRecord(result) ? result : {};
  const id = isRecord(document) ? document["id"] : undefined;
  const original = given.get(id as string);
  if (original === undefined)
    throw refuse(`must return only results that it was given, each once, but number ${index} is not one`);
  if (score !== null && !Number.isFinite(score))
    throw refuse(`must return finite scores, but number ${index} has none`);
  given.delete(original.id);
  return { document: original, score: score as number | null };
}

function refuse(problem: string): TroupeError {
  return new TroupeError("invalid_value", `The function \`rerank\` ${problem}.`);
}
