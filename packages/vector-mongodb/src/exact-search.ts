import type { VectorSearchResult } from "@troupe/core";
import { checkDimensions, NearestItems } from "@troupe/core/vector";
import type { VectorWithLength, ScoredItem, VectorSearchQuery } from "@troupe/core/vector";
import type { Binary, ClientSession, Filter } from "mongodb";
import { inOneStep } from "./in-one-step.ts";
import type { SessionVectors } from "./in-one-step.ts";
import type { OpenVectors } from "./open-vectors.ts";
import { inScope, keyOf, toFields, toUnit, vectorField } from "./stored-vector.ts";
import type { CatalogEntry, StoredVector } from "./stored-vector.ts";

/** Number of vectors held in memory at a time, and of documents per request: 6 MB for vectors of 1,536 numbers. */
const atOnce = 1000;

/** The `_id` of a found document, and the values that decide its rank. */
export type FoundItem = { readonly _id: string; readonly id: string };

/** A search among the documents that match a MongoDB filter. */
type ScopeSearch = VectorSearchQuery & { readonly among: Filter<StoredVector> };

/** A function that compares a vector with all documents that match a filter. */
export type CompareAll = (vectors: SessionVectors, search: ScopeSearch) => Promise<ScoredItem<FoundItem>[]>;

/** Finds documents by comparing all vectors of a collection that match the filter. */
export class ExactFinder {
  readonly #vectors: OpenVectors;
  readonly #compareAll: CompareAll;

  constructor(vectors: OpenVectors, compareAll: CompareAll) {
    this.#vectors = vectors;
    this.#compareAll = compareAll;
  }

  async find(path: string, search: VectorSearchQuery): Promise<VectorSearchResult[]> {
    return await inOneStep(this.#vectors, async (vectors) => {
      const entry = await readEntry(vectors, path);
      if (entry?.dimensions === undefined) return [];
      checkDimensions(search.vector.length, entry.dimensions);
      const among = inScope(entry.scope, search.filter);
      return await readFound(vectors, await this.#compareAll(vectors, { ...search, among }));
    });
  }
}

/** Reads the catalog entry of a collection. Returns `null` if there is none. */
export async function readEntry(
  { catalog, session }: OpenVectors & { session?: ClientSession },
  path: string,
): Promise<CatalogEntry | null> {
  return await catalog.findOne({ _id: keyOf(path) }, session === undefined ? {} : { session });
}

/** Compares vectors in this process: reads the vectors in batches, and keeps the nearest. */
export const scan: CompareAll = async ({ documents, session }, { among, topK, minScore, ...query }) => {
  const field = vectorField(query.vector.length);
  const projection = { id: 1, length: 1, [field]: 1 };
  const cosineWith = createCosine(query);
  const nearest = new NearestItems<FoundItem>(topK);
  for await (const stored of documents.find(among, { session, projection, batchSize: atOnce })) {
    const score = cosineWith({ vector: readVector(stored[field]), length: stored.length });
    if (score >= minScore && nearest.wants(score)) nearest.add({ item: { _id: stored._id, id: stored.id }, score });
  }
  return nearest.toSorted();
};

/** Compares vectors in the server, which requires `$similarityCosine` of MongoDB 8.3. */
export const compareInServer: CompareAll = async ({ documents, session, toBinary }, { among, topK, ...query }) => {
  const wanted = toBinary(toUnit(query));
  const score = { $similarityCosine: [`$${vectorField(query.vector.length)}`, wanted] };
  const stages = [{ $match: among }, { $project: { id: 1, score } }, { $sort: { score: -1, id: 1 } }, { $limit: topK }];
  const found = documents.aggregate<FoundItem & { score: number }>(stages, { session, allowDiskUse: true });
  return (await found.toArray()).map(({ _id, id, score: cosine }) => ({ item: { _id, id }, score: cosine }));
};

/**
 * Makes a function that returns the cosine between the search vector and another vector. Vectors with equal directions
 * have equal results.
 */
function createCosine(query: VectorWithLength): (other: VectorWithLength) => number {
  const unit = Float64Array.from(query.vector, (number) => number / query.length);
  return ({ vector, length }) => {
    let sum = 0;
    // The loop uses an index instead of an iterator, because a search spends its time here.
    for (let index = 0; index < unit.length; index++) sum += (unit[index] as number) * (vector[index] as number);
    return Math.fround(sum / length);
  };
}

/** Reads a vector from MongoDB, with the stored number of dimensions. */
export function readVector(binary: Binary | undefined): Float32Array {
  return binary?.toFloat32Array() ?? new Float32Array();
}

/** Reads the documents of found items, without their vectors, in any order. */
export async function readFound(
  { documents, session }: SessionVectors,
  found: readonly ScoredItem<FoundItem>[],
): Promise<VectorSearchResult[]> {
  const results: VectorSearchResult[] = [];
  const projection = { id: 1, content: 1, metadata: 1 };
  for (let from = 0; from < found.length; from += atOnce) {
    const scores = new Map(found.slice(from, from + atOnce).map(({ item, score }) => [item._id, score]));
    const stored = documents.find({ _id: { $in: [...scores.keys()] } }, { session, projection });
    for await (const each of stored) results.push({ document: toFields(each), score: scores.get(each._id) ?? NaN });
  }
  return results;
}
