import { TroupeError } from "../base/errors/troupe-error.ts";
import { untilAborted } from "../base/async/until-aborted.ts";
import { joinResults, withRanks } from "./join-results.ts";
import type { KnowledgeSearchResult } from "./join-results.ts";
import { largestTopK } from "./vector/read-search-options.ts";
import type { VectorSearchOptions, VectorSearchResult, VectorStore } from "./vector/vector-store.ts";

/** The ways to search for a text: by its meaning, by its words, or by both. */
export type SearchMode = "hybrid" | "vector" | "text";

const modes: readonly unknown[] = ["hybrid", "vector", "text"] satisfies SearchMode[];

/** Checks the option `mode` of a search. */
export function checkMode(mode: unknown): void {
  if (mode === undefined || modes.includes(mode)) return;
  throw new TroupeError("invalid_value", 'mode must be "hybrid", "vector" or "text".');
}

type Narrowed = Pick<VectorSearchOptions, "minScore" | "filter"> & { topK: number };

/**
 * A search for a text: the query, its options and signal. `embed` returns the vector of the text, if the mode needs it.
 */
export type TextSearch = {
  readonly query: string;
  readonly options: Narrowed;
  readonly signal: AbortSignal | undefined;
  readonly embed: () => Promise<readonly number[]>;
};

/** The minimum number of results that a hybrid search finds by vectors, and the same by words, before it joins them. */
const fewestJoined = 50;

/** Searches a collection by vectors, by words, or by both. */
export class ModalSearch {
  readonly #store: VectorStore;
  /** True once a text index was found. It never disappears again. */
  #hasTextIndex = false;

  constructor(store: VectorStore) {
    this.#store = store;
  }

  /**
   * Returns the mode of a search: the requested mode, or else `vector` with a `minScore` and `hybrid` without it. If
   * the store has no text index, returns `vector`, but throws `invalid_config` if `text` was requested.
   */
  async modeOf(asked: SearchMode | undefined, { minScore }: Pick<Narrowed, "minScore">): Promise<SearchMode> {
    const mode = asked ?? (minScore === undefined ? "hybrid" : "vector");
    if (mode === "vector" || (await this.#canSearchText())) return mode;
    if (mode === "hybrid") return "vector";
    const message =
      "The vector store has no text index. If it has createTextIndex(), call that once for documents of older versions.";
    throw new TroupeError("invalid_config", message);
  }

  async search(mode: SearchMode, search: TextSearch): Promise<KnowledgeSearchResult[]> {
    const { options, signal } = search;
    if (mode === "vector") return await this.#byVector(search, options);
    const { topK } = options;
    if (mode === "text") {
      const found = await untilAborted(async () => await this.#byText(search, topK), signal);
      return withRanks(found.map(({ document }) => ({ document, score: null })));
    }
    const wanted = Math.min(largestTopK, Math.max(fewestJoined, 2 * topK));
    const [byVector, byText] = await untilAborted(
      async () =>
        await Promise.all([this.#byVector(search, { ...options, topK: wanted }), this.#byText(search, wanted)]),
      signal,
    );
    const joined = joinResults(byVector, byText);
    const { minScore } = options;
    const kept = minScore === undefined ? joined : joined.filter(({ score }) => score !== null);
    return withRanks(kept.slice(0, topK));
  }

  async #byVector({ embed, signal }: TextSearch, options: Narrowed): Promise<VectorSearchResult[]> {
    const vector = await embed();
    return await untilAborted(async () => await this.#store.search(vector, options), signal);
  }

  async #byText({ query, options: { filter } }: TextSearch, topK: number): Promise<VectorSearchResult[]> {
    return (await this.#store.searchText?.(query, { topK, filter })) ?? [];
  }

  async #canSearchText(): Promise<boolean> {
    if (this.#store.searchText === undefined) return false;
    this.#hasTextIndex ||= (await this.#store.hasTextIndex?.()) ?? true;
    return this.#hasTextIndex;
  }
}
