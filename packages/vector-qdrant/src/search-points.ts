import type { QdrantClient } from "@qdrant/js-client-rest";
import type { VectorSearchResult } from "@troupe/core";
import { NearestItems } from "@troupe/core/vector";
import type { VectorSearchQuery } from "@troupe/core/vector";
import { statusOf } from "./qdrant-failure.ts";
import { documentFields, toDocument, toTermsFilter, toUnit } from "./stored-point.ts";
import type { TermsFilter } from "./stored-point.ts";

/** Largest number of points that are read to decide a tie at the end of a search. */
const mostTied = 20_000;

type Request = { query: number[]; limit: number; filter?: TermsFilter };
type Point = { id: string | number; score: number; payload?: Record<string, unknown> | null | undefined };

/** Finds the documents of the nearest points in a Qdrant collection. */
export async function searchPoints(
  client: QdrantClient,
  name: string,
  { topK, filter, ...query }: VectorSearchQuery,
): Promise<VectorSearchResult[]> {
  const terms = toTermsFilter(filter);
  // One point more than requested is read, which shows if the last place is tied.
  const request: Request = { query: toUnit(query), limit: topK + 1, ...(terms !== undefined && { filter: terms }) };
  const selection = { ...request, with_payload: documentFields };
  let { points }: { points: Point[] } = await client.query(name, selection);
  // A search with the index may miss points. If it finds too few, all matching points are compared, which takes little
  // time.
  if (points.length < topK) points = (await searchExactly(client, name, selection)) ?? points;
  const isTied = points.length > topK && points[topK]?.score === points[topK - 1]?.score;
  const chosen = isTied ? await untie(client, name, { request, topK }) : points.slice(0, topK);
  return chosen.map(({ payload, score }) => ({ document: toDocument({ payload }), score }));
}

/** Compares all matching points in Qdrant. Returns `undefined` if the server's strict mode forbids it. */
async function searchExactly(client: QdrantClient, name: string, selection: Request): Promise<Point[] | undefined> {
  try {
    return (await client.query(name, { ...selection, params: { exact: true } })).points;
  } catch (error) {
    if ([400, 403].includes(statusOf(error) ?? 0)) return undefined;
    throw error;
  }
}

/**
 * Returns the nearest points. If several points share the score of the last place, chooses among them by the ids of
 * their documents.
 */
async function untie(
  client: QdrantClient,
  name: string,
  { request, topK }: { request: Request; topK: number },
): Promise<Point[]> {
  const nearest = new NearestItems<{ id: string; point: string | number }>(topK);
  for (const { id, score, payload } of await tiedPoints(client, name, { request, topK })) {
    nearest.add({ item: { id: String(payload?.["id"]), point: id }, score });
  }
  const chosen = nearest.toSorted();
  const ids = chosen.map(({ item }) => item.point);
  const found = await client.retrieve(name, { ids, with_payload: documentFields, with_vector: false });
  const payloads = new Map(found.map(({ id, payload }) => [id, payload]));
  // Documents that were removed after they were found, and before they were read, are omitted.
  return chosen.flatMap(({ item: { point: id }, score }) =>
    payloads.has(id) ? [{ id, score, payload: payloads.get(id) }] : [],
  );
}

async function tiedPoints(
  client: QdrantClient,
  name: string,
  { request, topK }: { request: Request; topK: number },
): Promise<Point[]> {
  for (let limit = topK * 2 + 100; ; limit *= 4) {
    const most = Math.min(limit, mostTied);
    const { points } = await client.query(name, { ...request, limit: most, with_payload: ["id"] });
    const isWhole = points.length < most || (points.at(-1)?.score ?? 0) < (points[topK - 1]?.score ?? 0);
    if (isWhole || most === mostTied) return points;
  }
}
