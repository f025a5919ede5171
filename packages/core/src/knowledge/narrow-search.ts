import { readSearchOptions } from "../vector/read-search-options.ts";
import type { SearchPlan } from "../vector/read-search-options.ts";
import type { VectorSearchOptions } from "../vector/vector-store.ts";

/** What of the options tells the store which documents to find: checked, copied, with their defaults. */
export function narrowSearch(
  options: VectorSearchOptions,
): Pick<SearchPlan, "topK" | "filter"> & { minScore?: number } {
  const { topK, filter } = readSearchOptions(options);
  return { topK, filter, ...(options.minScore !== undefined && { minScore: options.minScore }) };
}
