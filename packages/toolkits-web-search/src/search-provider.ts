import { toSearchHit } from "@troupe-internal/toolkit";
import type { ServiceFailure, ServiceReply, ServiceRequest, TimeRange } from "@troupe-internal/toolkit";
import type { WebSearchHit } from "./web-search-hit.ts";

/** A search request to a provider. */
type SearchQuery = { query: string; count: number; timeRange: TimeRange | undefined };

/** A service that searches the web: makes its requests and reads its answers. */
export type SearchProvider = {
  /** The provider's name for errors. */
  readonly name: string;
  readonly baseURL: string;
  /** Environment variables for the key. The first one that is set is used. */
  readonly environment: readonly string[];
  /** Largest number of results per search. */
  readonly mostResults: number;
  /** Makes the request of a search, below a base address. */
  request(search: SearchQuery, access: { baseURL: string; key: string }): ServiceRequest;
  /** Reads the results of an answer with status 2xx. Throws if it is not an answer of the provider. */
  read(reply: ServiceReply): WebSearchHit[];
  /** Explains an error status that has another meaning for this provider. Returns `undefined` for other statuses. */
  explain(reply: ServiceReply): ServiceFailure | undefined;
};

/** A result with the provider's own values. */
type RawHit = { title: unknown; url: unknown; snippet: unknown; date?: unknown; score?: unknown };

/** Turns a provider's result into a hit. Returns an empty array if it has no web address. */
export function toHits({ score, ...raw }: RawHit): WebSearchHit[] {
  const hit = toSearchHit(raw);
  if (hit === undefined) return [];
  const isScore = typeof score === "number" && Number.isFinite(score);
  return [isScore ? { ...hit, score: Math.round(score * 1000) / 1000 } : hit];
}
