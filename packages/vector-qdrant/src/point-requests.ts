import { TroupeError } from "@troupe/core";
import { matchesFilter } from "@troupe/core/vector";
import type { StoredChange, StoredDocument } from "@troupe/core/vector";
import { pointIdOf, toPoint, toTermsFilter } from "./stored-point.ts";
import type { NewPoint, TermsFilter } from "./stored-point.ts";

/** The largest request of Qdrant at its defaults is 32 MiB. Several small ones keep the memory of both sides low. */
const usualRequestBytes = 8 * 2 ** 20;
const largestRequestBytes = 31 * 2 ** 20;

/** Contents up to this length fit into a request, whatever characters and however large metadata and vector they have. */
const surelyFittingContent = 2 ** 21;

const deletedIdsPerOperation = 10_000;

/** An operation of Qdrant's `points/batch`. */
export type PointOperation =
  | { upsert: { points: NewPoint[] } }
  | { delete: { points: string[] } }
  | { delete: { filter: TermsFilter & { must_not?: { has_id: string[] }[] } } };

type Sized<Item> = { item: Item; bytes: number };

/** Throws `invalid_value` when no request can hold one of the documents. */
export function checkSizes(documents: readonly StoredDocument[]): void {
  for (const document of documents) {
    if (document.content.length <= surelyFittingContent) continue;
    const { bytes } = sizedPoint(document);
    if (bytes <= largestRequestBytes) continue;
    const sentence = `The document needs about ${bytes} bytes in a request to Qdrant, which takes ${largestRequestBytes}: split it.`;
    throw new TroupeError("invalid_value", sentence);
  }
}

/**
 * Makes the requests of a change, each when it is asked for: the operations of one `points/batch`. New documents come
 * first, so that a reader in between misses none.
 */
export function* toRequests(change: StoredChange): Generator<PointOperation[]> {
  for (const group of grouped(operationsOf(change))) yield group.map(({ item }) => item);
}

function* operationsOf({ documents, deletedIds, deletedWhere }: StoredChange): Generator<Sized<PointOperation>> {
  for (const group of grouped(sizedPoints(documents))) {
    const bytes = group.reduce((sum, point) => sum + point.bytes, 0);
    yield { item: { upsert: { points: group.map(({ item }) => item) } }, bytes };
  }
  for (let start = 0; start < deletedIds.length; start += deletedIdsPerOperation) {
    const points = deletedIds.slice(start, start + deletedIdsPerOperation).map(pointIdOf);
    yield { item: { delete: { points } }, bytes: bytesOfIds(points) };
  }
  const filter = deletedWhere && toTermsFilter(deletedWhere);
  if (deletedWhere === undefined || filter === undefined) return;
  // What the change stores stays.
  const kept = documents.filter(({ metadata }) => matchesFilter(metadata, deletedWhere)).map(({ id }) => pointIdOf(id));
  const item = { delete: { filter: { ...filter, ...(kept.length > 0 && { must_not: [{ has_id: kept }] }) } } };
  yield { item, bytes: bytesOfIds(kept) + Buffer.byteLength(JSON.stringify(filter)) };
}

function* sizedPoints(documents: readonly StoredDocument[]): Generator<Sized<NewPoint>> {
  for (const document of documents) yield sizedPoint(document);
}

function sizedPoint(document: StoredDocument): Sized<NewPoint> {
  const item = toPoint(document);
  // A 64-bit number has at most 24 characters, and a comma.
  const bytes = Buffer.byteLength(JSON.stringify(item.payload)) + item.vector.length * 25 + 100;
  return { item, bytes };
}

/** Groups items in their order so that no group is larger than a usual request, except one of a single item. */
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

/** A UUID has 36 characters, and two quotation marks and a comma around it. */
function bytesOfIds(ids: readonly string[]): number {
  return ids.length * 39;
}
