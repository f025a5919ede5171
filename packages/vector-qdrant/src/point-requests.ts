import { TroupeError } from "@troupe/core";
import { matchesFilter } from "@troupe/core/vector";
import type { VectorWrite, StoredDocument } from "@troupe/core/vector";
import { pointIdOf, toPoint, toTermsFilter } from "./stored-point.ts";
import type { NewPoint, TermsFilter } from "./stored-point.ts";

/**
 * Largest usual size of a request to Qdrant in bytes. Qdrant's default limit is 32 MiB; several small requests save
 * memory on both sides.
 */
const usualRequestBytes = 8 * 2 ** 20;
const largestRequestBytes = 31 * 2 ** 20;

/** Document contents up to this length, in characters, fit into a request with any characters, metadata and vector. */
const surelyFittingContent = 2 ** 21;

const deletedIdsPerOperation = 10_000;

/** An operation of Qdrant's `points/batch`. */
export type PointOperation =
  | { upsert: { points: NewPoint[] } }
  | { delete: { points: string[] } }
  | { delete: { filter: TermsFilter & { must_not?: { has_id: string[] }[] } } };

type Sized<Item> = { item: Item; bytes: number };

/** Throws `invalid_value` if no request can contain one of the documents. */
export function checkSizes(documents: readonly StoredDocument[]): void {
  for (const document of documents) {
    if (document.content.length <= surelyFittingContent) continue;
    const { bytes } = sizedPoint(document, { takesWords: true });
    if (bytes <= largestRequestBytes) continue;
    const sentence = `The document needs about ${bytes} bytes in a request to Qdrant, which takes ${largestRequestBytes}: split it.`;
    throw new TroupeError("invalid_value", sentence);
  }
}

/**
 * Makes the requests of a change one by one, as they are needed: the operations of one `points/batch` each. New
 * documents come first, so that a concurrent reader misses no document.
 */
export function* toRequests(change: VectorWrite, words: { takesWords: boolean }): Generator<PointOperation[]> {
  for (const group of grouped(operationsOf(change, words))) yield group.map(({ item }) => item);
}

function* operationsOf(
  { documents, deletedIds, deletedWhere }: VectorWrite,
  words: { takesWords: boolean },
): Generator<Sized<PointOperation>> {
  for (const group of grouped(sizedPoints(documents, words))) {
    const bytes = group.reduce((sum, point) => sum + point.bytes, 0);
    yield { item: { upsert: { points: group.map(({ item }) => item) } }, bytes };
  }
  for (let start = 0; start < deletedIds.length; start += deletedIdsPerOperation) {
    const points = deletedIds.slice(start, start + deletedIdsPerOperation).map(pointIdOf);
    yield { item: { delete: { points } }, bytes: bytesOfIds(points) };
  }
  const filter = deletedWhere && toTermsFilter(deletedWhere);
  if (deletedWhere === undefined || filter === undefined) return;
  // Documents that the change itself stores are not removed.
  const kept = documents.filter(({ metadata }) => matchesFilter(metadata, deletedWhere)).map(({ id }) => pointIdOf(id));
  const item = { delete: { filter: { ...filter, ...(kept.length > 0 && { must_not: [{ has_id: kept }] }) } } };
  yield { item, bytes: bytesOfIds(kept) + Buffer.byteLength(JSON.stringify(filter)) };
}

function* sizedPoints(
  documents: readonly StoredDocument[],
  words: { takesWords: boolean },
): Generator<Sized<NewPoint>> {
  for (const document of documents) yield sizedPoint(document, words);
}

function sizedPoint(document: StoredDocument, words: { takesWords: boolean }): Sized<NewPoint> {
  const item = toPoint(document, words);
  const wordBytes = Array.isArray(item.vector) ? 0 : item.vector.words.indices.length * 36 + 50;
  // A 64-bit number needs at most 24 characters, and a comma; a word needs its index of 10 characters too.
  const bytes = Buffer.byteLength(JSON.stringify(item.payload)) + document.vector.length * 25 + wordBytes + 100;
  return { item, bytes };
}

/** Groups items in their order so that no group exceeds the usual size of a request, unless it has a single item. */
function* grouped<Item>(items: Iterable<Sized<Item>>): Generator<Sized<Item>[]> {
  let group: Sized<Item>[] = [];
  let room = usualRequestBytes;
  for (const each of items) {
    if (each.bytes > room && group.length > 0) {
      yield group;
      group = [];
      room = usualRequestBytes;
    }
    group.push(each);
    room -= each.bytes;
  }
  if (group.length > 0) yield group;
}

/**
 * Returns the number of bytes that ids of points need in a request: a UUID has 36 characters, two quotation marks and a
 * comma.
 */
function bytesOfIds(ids: readonly string[]): number {
  return ids.length * 39;
}
