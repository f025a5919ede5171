import type { VectorSearchResult } from "@troupe/core";
import { checkDimensions, NearestItems } from "@troupe/core/vector";
import type { StoredSearch } from "@troupe/core/vector";
import type { Document, Filter } from "mongodb";
import { readEntry, readFound, scan } from "./exact-search.ts";
import type { ExactFinder, FoundItem } from "./exact-search.ts";
import { inOneStep } from "./in-one-step.ts";
import type { SessionVectors } from "./in-one-step.ts";
import type { Finder } from "./mongodb-vector-database.ts";
import type { OpenVectors } from "./open-vectors.ts";
import { indexName } from "./search-indexes.ts";
import type { SearchIndexes } from "./search-indexes.ts";
import { filterParts, toUnit, vectorField, withTerms } from "./stored-vector.ts";
import type { CatalogEntry, StoredVector } from "./stored-vector.ts";

/** The most candidates that `$vectorSearch` takes. */
const mostCandidates = 10_000;

/** Candidates for each result that the index is asked for, as MongoDB advises for a recall of 0.95, and the least. */
const [candidatesEach, leastCandidates] = [20, 200];

/** The index is asked for twice the results and this many: some were removed, and it does not know it yet. */
const spareResults = 10;

/** Filters of more terms than this are applied by comparing all documents that match. */
const mostTerms = 100;

/** Ages, in changes, of the documents by which the index is asked how far it is. */
const markerAges = [0, 10, 100, 1000, 10_000];

/** Collections whose progress is remembered. */
const mostRemembered = 10_000;

/** The results of the index, and how far it was before. */
type IndexAnswer = {
  readonly path: string;
  readonly entry: CatalogEntry;
  readonly ids: readonly string[];
  readonly shownTo: number;
};

/**
 * Finds documents by the index of MongoDB Vector Search. The index learns of a change some time after it was made, so
 * documents that it does not show yet are compared one by one. When the index finds less than asked for, all documents
 * are compared: they are few, or the index is incomplete.
 */
export class IndexedFinder implements Finder {
  readonly #vectors: OpenVectors;
  readonly #exact: ExactFinder;
  readonly #indexes: SearchIndexes;
  /** The newest change that the index is known to show, by scope. */
  readonly #shownTo = new Map<string, number>();

  constructor(vectors: OpenVectors, { exact, indexes }: { exact: ExactFinder; indexes: SearchIndexes }) {
    this.#vectors = vectors;
    this.#exact = exact;
    this.#indexes = indexes;
  }

  checkDimensions(dimensions: number): void {
    this.#indexes.checkDimensions(dimensions);
  }

  async prepare(dimensions: number): Promise<void> {
    // The change is stored: a search tells of a failure.
    await this.#indexes.isReady(dimensions).catch(() => {});
  }

  async find(path: string, search: StoredSearch): Promise<VectorSearchResult[]> {
    const entry = await readEntry(this.#vectors, path);
    if (entry?.dimensions === undefined) return [];
    checkDimensions(search.vector.length, entry.dimensions);
    const isUsable = Object.keys(search.filter).length <= mostTerms && (await this.#indexes.isReady(entry.dimensions));
    if (!isUsable) return await this.#exact.find(path, search);
    const shownTo = await this.#readProgress(entry, search);
    const ids = await this.#findIds(entry.scope, search);
    const answer = { path, entry, ids, shownTo };
    const found = await inOneStep(this.#vectors, async (vectors) => await completeAnswer(vectors, answer, search));
    if (found !== undefined) return found;
    const all = await this.#exact.find(path, search);
    if (all.length > ids.length) this.#indexes.doubt(entry.dimensions);
    return all;
  }

  /** Returns the newest change that the index shows. It learns of changes in their order. */
  async #readProgress({ scope, changes }: CatalogEntry, search: StoredSearch): Promise<number> {
    const known = this.#shownTo.get(scope) ?? 0;
    if (known >= changes) return known;
    const markers = await this.#readMarkers(
      scope,
      markerAges.map((age) => changes - age).filter((age) => age > known),
    );
    const above = markers.filter((marker) => marker > known);
    const shown = await Promise.all(
      above.map(async (lastOf) => {
        const found = await this.#ask({ $and: [{ scope }, { lastOf }] }, { ...search, topK: 1 });
        return found.length > 0 ? lastOf : known;
      }),
    );
    const newest = Math.max(known, ...shown);
    if (this.#shownTo.size >= mostRemembered) this.#shownTo.clear();
    this.#shownTo.set(scope, newest);
    return newest;
  }

  /** Returns the numbers of the newest changes up to each limit whose last document is still there. */
  async #readMarkers(scope: string, limits: readonly number[]): Promise<number[]> {
    const { documents } = this.#vectors;
    const read = limits.map(async (limit) => {
      const options = { sort: { lastOf: -1 }, projection: { lastOf: 1 } } as const;
      const found = await documents.findOne({ scope, lastOf: { $lte: limit } }, options);
      return found?.lastOf ?? 0;
    });
    return [...new Set(await Promise.all(read))];
  }

  async #findIds(scope: string, search: StoredSearch): Promise<string[]> {
    const limit = Math.min(2 * search.topK + spareResults, mostCandidates);
    return await this.#ask({ $and: [{ scope }, ...filterParts(search.filter)] }, { ...search, topK: limit });
  }

  async #ask(filter: Document, { topK, ...query }: StoredSearch): Promise<string[]> {
    const dimensions = query.vector.length;
    const $vectorSearch = {
      index: indexName(dimensions),
      path: vectorField(dimensions),
      queryVector: this.#vectors.toBinary(toUnit(query)),
      numCandidates: Math.min(Math.max(candidatesEach * topK, leastCandidates), mostCandidates),
      limit: topK,
      filter,
    };
    const stages = [{ $vectorSearch }, { $project: { _id: 1 } }];
    const found = this.#vectors.documents.aggregate<{ _id: string }>(stages, { readConcern: { level: "local" } });
    return (await found.toArray()).map(({ _id }) => _id);
  }
}

/**
 * Adds to the index's answer the documents that it does not show, and returns the nearest in one state of the collection.
 * Returns `undefined` when the index found too few that are still there.
 */
async function completeAnswer(
  vectors: SessionVectors,
  { path, entry, ids, shownTo }: IndexAnswer,
  search: StoredSearch,
): Promise<VectorSearchResult[] | undefined> {
  const { scope } = entry;
  // It was cleared in the meantime.
  if ((await readEntry(vectors, path))?.scope !== scope) return undefined;
  const everyId = { ...search, topK: ids.length + 1, minScore: -Infinity };
  const shown: Filter<StoredVector> = { _id: { $in: [...ids] }, change: { $lte: shownTo } };
  const indexed = await scan(vectors, { ...everyId, among: shown });
  if (indexed.length < search.topK) return undefined;
  const unseen = { scope, change: { $gt: shownTo }, ...withTerms(search.filter) };
  const nearest = new NearestItems<FoundItem>(search.topK);
  const recent = await scan(vectors, { ...search, among: unseen });
  for (const scored of [...indexed, ...recent]) if (scored.score >= search.minScore) nearest.add(scored);
  return await readFound(vectors, nearest.toSorted());
}
