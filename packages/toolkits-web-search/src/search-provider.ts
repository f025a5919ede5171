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
  /** Environment variables for the key. The first variable that is set is used. */
  readonly environment: readonly string[];
  /** Largest number of results per search. */
  readonly mostResults: number;
  /** Makes the request of a search, below a base address. */
  request(search: SearchQuery, access: { baseURL: string; key: string }): ServiceRequest;
  /**
   * Reads the results of a reply with status 2xx. Throws if the reply does not have the form of the provider's answers.
   */
  read(reply: ServiceReply): WebSearchHit[];
  /**
   * Returns the meaning of an error status for this provider, if it differs from the usual meaning. Otherwise returns
   * `undefined`.
   */
  explain(reply: ServiceReply): ServiceFailure | undefined;
};

/** A result with the values that the provider sent, unchecked. */
type RawHit = { title: unknown; url: unknown; snippet: unknown; date?: unknown; score?: unknown };

/** Turns a provider's result into a hit. Returns an empty array if it has no web address. */
export function toHits({ score, ...raw }: RawHit): WebSearchHit[] {
  const hit = toSearchHit(raw);
  if (hit === undefined) return [];
  const isScore = typeof score === "number" && Number.isFinite(score);
  return [isScore ? { ...hit, score: Math.round(score * 1000) / 1000 } : hit];
}
