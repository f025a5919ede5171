import { toSearchHit } from "@troupe-internal/toolkit";
import type { ServiceFailure, ServiceReply, ServiceRequest, TimeRange } from "@troupe-internal/toolkit";
import type { WebSearchHit } from "./web-search-hit.ts";

/** A search to ask a provider for. */
type SearchQuery = { query: string; count: number; timeRange: TimeRange | undefined };

/** A service that searches the web: its requests, and what its answers say. */
export type SearchProvider = {
  /** Name for errors. */
  readonly name: string;
  readonly baseURL: string;
  /** Environment variables with its key, of which the first one that is set counts. */
  readonly environment: readonly string[];
  /** The largest number of hits that it gives for one search. */
  readonly mostResults: number;
  /** Makes the request of a search, below a base address. */
  request(search: SearchQuery, access: { baseURL: string; key: string }): ServiceRequest;
  /** Reads the hits of an answer with status 200. Throws for an answer that is none. */
  read(reply: ServiceReply): WebSearchHit[];
  /** Explains an error status that means something else with this provider. */
  explain(reply: ServiceReply): ServiceFailure | undefined;
};

/** A hit in the words of a provider. */
type RawHit = { title: unknown; url: unknown; snippet: unknown; date?: unknown; score?: unknown };

/** Makes a hit of what a provider sent; nothing where it has no web address. */
export function toHits({ score, ...raw }: RawHit): WebSearchHit[] {
  const hit = toSearchHit(raw);
  if (hit === undefined) return [];
  const isScore = typeof score === "number" && Number.isFinite(score);
  return [isScore ? { ...hit, score: Math.round(score * 1000) / 1000 } : hit];
}
