import { TroupeError } from "../../base/errors/troupe-error.ts";
import { toFilter } from "./metadata-filter.ts";
import type { VectorSearchOptions } from "./vector-store.ts";

/** The maximum `topK` of a search. */
export const largestTopK = 10_000;

/** The checked options of a vector search with defaults. If no `minScore` was given, it is `-Infinity`. */
export type CheckedSearchOptions = { topK: number; minScore: number; filter: Record<string, unknown> };

/** Checks the options of a vector search and adds the defaults. Throws `invalid_value` for a wrong option. */
export function readSearchOptions({
  topK = 10,
  minScore,
  filter = {},
}: VectorSearchOptions = {}): CheckedSearchOptions {
  if (!(Number.isInteger(topK) && topK >= 1 && topK <= largestTopK)) {
    throw new TroupeError("invalid_value", `topK must be an integer from 1 to ${largestTopK}, got ${topK}.`);
  }
  if (minScore !== undefined && !Number.isFinite(minScore)) {
    throw new TroupeError("invalid_value", `minScore must be a finite number, got ${minScore}.`);
  }
  return { topK, minScore: minScore ?? -Infinity, filter: toFilter(filter) };
}

/**
 * Checks the options of a search before they are passed to another `VectorStore`. Adds defaults, except a default for
 * `minScore`.
 */
export function checkSearchOptions(
  options: VectorSearchOptions,
): Omit<CheckedSearchOptions, "minScore"> & { minScore?: number } {
  const { topK, filter } = readSearchOptions(options);
  return { topK, filter, ...(options.minScore !== undefined && { minScore: options.minScore }) };
}
