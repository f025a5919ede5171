import { TroupeError } from "@troupe/core";
import { matchesFilter } from "@troupe/core/adapter";
import type { StoredChange } from "@troupe/core/adapter";
import { pointIdOf, toPoint, toTermsFilter } from "./stored-point.ts";
import type { NewPoint, TermsFilter } from "./stored-point.ts";

/** The largest request of Qdrant at its defaults is 32 MiB. Several small ones keep the memory of both sides low. */
const usualRequestBytes = 8 * 2 ** 20;
const largestRequestBytes = 31 * 2 ** 20;

const deletedIdsPerOperation = 10_000;

/** An operation of Qdrant's `points/batch`. */
export type PointOperation =
  | { upsert: { points: NewPoint[] } }
  | { delete: { points: string[] } }
  | { delete: { filter: TermsFilter & { must_not?: { has_id: string[] }[] } } };

type Sized<Item> = { item: Item; bytes: number };

/**
 * Makes the requests of a change, each the operations of one `points/batch`. New documents come first: a reader in between
 * finds old ones beside them, and never too few. Throws `invalid_value` for a document that no request can hold.
 */
export function toRequests(change: StoredChange): PointOperation[][] {
  const points = change.documents.map((document) => sizedPoint(toPoint(document)));
  const operations: Sized<PointOperation>[] = [
    ...grouped(points).map((group) => ({
      item: { upsert: { points: group.map(({ item }) => item) } },
      bytes: bytesOf(group),
    })),
    ...chunks(change.deletedIds.map(pointIdOf), deletedIdsPerOperation).map((ids) => ({
      item: { delete: { points: ids } },
      bytes: ids.length * 39,
    })),
    ...deletion(change),
  ];
  return grouped(operations).map((group) => group.map(({ item }) => item));
}

function deletion({ documents, deletedWhere }: StoredChange): Sized<PointOperation>[] {
  const filter = deletedWhere && toTermsFilter(deletedWhere);
  if (deletedWhere === undefined || filter === undefined) return [];
  // What the change stores stays.
  const kept = documents.filter(({ metadata }) => matchesFilter(metadata, deletedWhere)).map(({ id }) => pointIdOf(id));
  const item = { delete: { filter: { ...filter, ...(kept.length > 0 && { must_not: [{ has_id: kept }] }) } } };
  return [{ item, bytes: kept.length * 39 + Buffer.byteLength(JSON.stringify(filter)) }];
}

function sizedPoint(point: NewPoint): Sized<NewPoint> {
  // A 64-bit number has at most 24 characters, and a comma.
  const bytes = Buffer.byteLength(JSON.stringify(point.payload)) + point.vector.length * 25 + 100;
  if (bytes <= largestRequestBytes) return { item: point, bytes };
  const sentence = `The document needs about ${bytes} bytes in a request to Qdrant, which takes ${largestRequestBytes}: split it.`;
  throw new TroupeError("invalid_value", sentence);
}

/** Groups items in their order so that no group is larger than a usual request, except one of a single item. */
function grouped<Item>(items: readonly Sized<Item>[]): Sized<Item>[][] {
  const groups: Sized<Item>[][] = [];
  let room = 0;
  for (const each of items) {
    if (each.bytes > room || groups.length === 0) {
      groups.push([]);
      room = usualRequestBytes;
    }
    groups.at(-1)?.push(each);
    room -= each.bytes;
  }
  return groups;
}

function bytesOf(items: readonly Sized<unknown>[]): number {
  return items.reduce((sum, { bytes }) => sum + bytes, 0);
}

function chunks<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
