import type { Json, ToolResult } from "@troupe/core";
import { cleanText } from "./clean-text.ts";
import { cleanUrl } from "./clean-url.ts";
import { htmlToText } from "./html-to-text.ts";

/** A search result as a service sent it. */
type RawHit = { title: unknown; url: unknown; snippet: unknown; date?: unknown };

/** A search result: plain text, an http(s) address, and a date if the service sent one. */
export type SearchHit = { title: string; url: string; snippet: string; date?: string };

/** Longest title and snippet of a result, in characters. */
const hitLimits = { title: 200, snippet: 500 } as const;

/**
 * Makes a search result: title and snippet as plain text of bounded length, and the date as `YYYY-MM-DD` if possible.
 * Returns `undefined` without an http(s) address, such as for `javascript:`.
 */
export function toSearchHit({ title, url, snippet, date }: RawHit): SearchHit | undefined {
  const address = cleanUrl(url);
  if (address === undefined) return undefined;
  const when = cleanDate(date);
  return {
    // The host replaces a missing title of a result.
    title: htmlToText(title, hitLimits.title) || new URL(address).hostname,
    url: address,
    snippet: htmlToText(snippet, hitLimits.snippet),
    ...(when !== "" && { date: when }),
  };
}

/**
 * Returns a value that is a date, or begins with one, as `YYYY-MM-DD`. Returns any other text unchanged, such as "2
 * days ago".
 */
export function cleanDate(date: unknown): string {
  const text = cleanText(date, 40);
  const day = /^\d{4}-\d{2}-\d{2}(?=$|[T ])/.exec(text)?.[0];
  return day === undefined || Number.isNaN(Date.parse(day)) ? text : day;
}

/**
 * Returns Unix seconds as an ISO time to the second. Returns `undefined` for anything else, and before 1970 or after
 * 9999.
 */
export function toIsoTime(seconds: unknown): string | undefined {
  if (typeof seconds !== "number" || !(seconds >= 0 && seconds < 253_402_300_800)) return undefined;
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
}

/** The results of one search: short JSON, for the model and as an artifact. */
export type FoundHits<Hit> = {
  service: string;
  /** The query of the search, if there is one. */
  query?: string | undefined;
  hits: readonly Hit[];
  /** A note about the results for the model. @default advice to try other words, if there is no result */
  note?: string | undefined;
};

/**
 * Makes the result of a search: the results for the model as `{ results, note? }`, and an artifact of type
 * `search_hits` for the caller.
 */
export function toHitsResult<Hit extends { [name: string]: Json | undefined }>(found: FoundHits<Hit>): ToolResult {
  const { service, query, hits } = found;
  const results = hits.map((hit) => toJson(hit));
  const none = results.length === 0 ? `${service} found nothing for this query. Try fewer or other words.` : undefined;
  const note = found.note ?? none;
  return {
    content: { results, ...(note !== undefined && { note }) },
    artifacts: [
      {
        type: "search_hits",
        mimeType: "application/json",
        data: { service, ...(query !== undefined && { query }), hits: results },
      },
    ],
  };
}

function toJson(hit: { [name: string]: Json | undefined }): Record<string, Json> {
  return Object.fromEntries(Object.entries(hit).filter((entry): entry is [string, Json] => entry[1] !== undefined));
}
