import type { VectorSearchResult } from "@troupe/core";
import { checkDimensions, NearestItems } from "@troupe/core/vector";
import type { VectorSearchQuery } from "@troupe/core/vector";
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

/** Largest number of candidates that `$vectorSearch` accepts. */
const mostCandidates = 10_000;

/**
 * Candidates per result that are requested from the index, as MongoDB recommends for a recall of 0.95, and the smallest
 * number of candidates.
 */
const [candidatesEach, leastCandidates] = [20, 200];

/**
 * Twice the wanted results plus this number are requested from the index, because it may still contain removed
 * documents.
 */
const spareResults = 10;

/** Filters with more names than this are applied by comparing all matching documents. */
const mostTerms = 100;

/**
 * Ages of the documents by which a search tests how up to date the index is. An age is the number of changes since the
 * document was stored.
 */
const markerAges = [0, 10, 100, 1000, 10_000];

/** Number of collections whose index progress is remembered. */
const mostRemembered = 10_000;

/** The results of the vector index, and the newest change that the index contained before it was searched. */
type IndexAnswer = {
  readonly path: string;
  readonly entry: CatalogEntry;
  readonly ids: readonly string[];
  readonly shownTo: number;
};

/**
 * Finds documents with the index of MongoDB Vector Search. The index contains a change only some time after it was
 * made, so documents that are not in it yet are compared one by one. If the index finds fewer documents than requested,
 * all documents are compared: they are few, or the index is incomplete.
 */
export class IndexedFinder implements Finder {
  readonly #vectors: OpenVectors;
  readonly #exact: ExactFinder;
  readonly #indexes: SearchIndexes;
  /** The newest change that the index is known to contain, by scope. */
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
    // A failure to prepare the index is ignored: the change is stored, and the next search reports the failure.
    await this.#indexes.isReady(dimensions).catch(() => {});
  }

  async find(path: string, search: VectorSearchQuery): Promise<VectorSearchResult[]> {
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

  /** Returns the newest change that the index contains. The index receives changes in their order. */
  async #readProgress({ scope, changes }: CatalogEntry, search: VectorSearchQuery): Promise<number> {
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

  /** Returns, for each given change number, the newest change up to that number whose last document still exists. */
  async #readMarkers(scope: string, limits: readonly number[]): Promise<number[]> {
    const { documents } = this.#vectors;
    const read = limits.map(async (limit) => {
      const options = { sort: { lastOf: -1 }, projection: { lastOf: 1 } } as const;
      const found = await documents.findOne({ scope, lastOf: { $lte: limit } }, options);
      return found?.lastOf ?? 0;
    });
    return [...new Set(await Promise.all(read))];
  }

  async #findIds(scope: string, search: VectorSearchQuery): Promise<string[]> {
    const limit = Math.min(2 * search.topK + spareResults, mostCandidates);
    return await this.#ask({ $and: [{ scope }, ...filterParts(search.filter)] }, { ...search, topK: limit });
  }

  async #ask(filter: Document, { topK, ...query }: VectorSearchQuery): Promise<string[]> {
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
 * Adds the documents that the index does not contain to its answer, and returns the nearest in one state of the
 * collection. Returns `undefined` if too few of the index's results still exist, or the collection was cleared.
 */
async function completeAnswer(
  vectors: SessionVectors,
  { path, entry, ids, shownTo }: IndexAnswer,
  search: VectorSearchQuery,
): Promise<VectorSearchResult[] | undefined> {
  const { scope } = entry;
  // Another scope means that the collection was cleared after `entry` had been read.
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
