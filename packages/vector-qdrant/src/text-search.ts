import type { QdrantClient } from "@qdrant/js-client-rest";
import { TroupeError } from "@troupe/core";
import type { VectorSearchResult } from "@troupe/core";
import type { TextSearchQuery } from "@troupe/core/vector";
import { isMissing, statusOf } from "./qdrant-failure.ts";
import { documentFields, toDocument, toTermsFilter } from "./stored-point.ts";
import type { FoundPoint } from "./stored-point.ts";
import { toSparseQuery, toSparseVector, wordsConfig, wordsVector } from "./stored-words.ts";

/** Number of points whose words are stored by one request of `addWords`. */
const indexedAtOnce = 100;

/** Number of attempts to store the words of points that others keep replacing. */
const mostTries = 10;

type Point = FoundPoint & { id: string | number };

/** Finds the documents of a Qdrant collection that share most words with a query. */
export async function searchWords(
  client: QdrantClient,
  name: string,
  { terms, topK, filter }: TextSearchQuery,
): Promise<VectorSearchResult[]> {
  const among = toTermsFilter(filter);
  const { points } = await client.query(name, {
    query: toSparseQuery(terms),
    using: wordsVector,
    limit: topK,
    ...(among !== undefined && { filter: among }),
    with_payload: documentFields,
  });
  return points.map(({ payload, score }) => ({ document: toDocument({ payload }), score }));
}

/** Adds the sparse vector of words to a Qdrant collection of an older version, without any value. */
export async function addWordsVector(client: QdrantClient, name: string): Promise<void> {
  try {
    await client.createVectorName(name, wordsVector, { sparse: wordsConfig }, { wait: true });
  } catch (error) {
    if (![404, 405].includes(statusOf(error) ?? 0) || !(await client.collectionExists(name)).exists) throw error;
    const sentence =
      "Qdrant adds a text index to a collection that exists from version 1.18 on. Update Qdrant, or store the documents again in a new collection.";
    throw new TroupeError("invalid_config", sentence, { cause: error });
  }
}

/** Stores the words of all points of a Qdrant collection. */
export async function storeWords(client: QdrantClient, name: string): Promise<void> {
  for (let offset: string | number | undefined; ;) {
    const request = { limit: indexedAtOnce, ...(offset !== undefined && { offset }) };
    const page = await client.scroll(name, { ...request, with_payload: documentFields, with_vector: false });
    await storeWordsOf(client, name, page.points);
    const next = page.next_page_offset;
    if (typeof next !== "string" && typeof next !== "number") return;
    offset = next;
  }
}

/**
 * Stores the words of points. Another process may replace a point meanwhile, whose new words would then be overwritten
 * by the old words. So the points are read again, until they have the texts whose words were stored.
 */
async function storeWordsOf(client: QdrantClient, name: string, points: readonly Point[]): Promise<void> {
  let waiting = points;
  for (let tries = 0; waiting.length > 0; tries++) {
    if (tries === mostTries) {
      const sentence = "Documents were changed again and again while their text index was made. Try again.";
      throw new TroupeError("storage_unavailable", sentence);
    }
    const isStored = await tryUpdate(client, name, waiting);
    const ids = waiting.map(({ id }) => id);
    const current: Point[] = await client.retrieve(name, { ids, with_payload: documentFields, with_vector: false });
    const stored = new Map(isStored ? waiting.map((point) => [point.id, textOf(point)]) : []);
    waiting = current.filter((point) => stored.get(point.id) !== textOf(point));
  }
}

/** Stores the words of points. Returns false if one of the points was removed meanwhile. */
async function tryUpdate(client: QdrantClient, name: string, points: readonly Point[]): Promise<boolean> {
  const updated = points.flatMap((point) => {
    const words = toSparseVector(toDocument(point));
    return words === undefined ? [] : [{ id: point.id, vector: { [wordsVector]: words } }];
  });
  if (updated.length === 0) return true;
  const operations = [{ update_vectors: { points: updated } }];
  try {
    await client.batchUpdate(name, { wait: true, ordering: "medium", operations });
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

function textOf({ payload }: FoundPoint): string {
  return JSON.stringify([payload?.["content"], payload?.["metadata"]]);
}
