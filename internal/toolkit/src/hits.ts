import type { Json, ToolResult } from "@troupe/core";
import { cleanText } from "./clean-text.ts";
import { cleanUrl } from "./clean-url.ts";
import { htmlToText } from "./html-to-text.ts";

/** A hit as a service sent it. */
type RawHit = { title: unknown; url: unknown; snippet: unknown; date?: unknown };

/** A hit of a search: plain text, an http: or https: address, and a date where the service told one. */
export type SearchHit = { title: string; url: string; snippet: string; date?: string };

/** Longest title and snippet of a hit, in characters. */
const hitLimits = { title: 200, snippet: 500 } as const;

/**
 * Makes a hit: title and snippet as plain text of bounded length, the date as `YYYY-MM-DD` where it is one. Returns
 * `undefined` without an http: or https: address, such as for `javascript:`.
 */
export function toSearchHit({ title, url, snippet, date }: RawHit): SearchHit | undefined {
  const address = cleanUrl(url);
  if (address === undefined) return undefined;
  const when = cleanDate(date);
  return {
    // A hit without a title is named by its address.
    title: htmlToText(title, hitLimits.title) || new URL(address).hostname,
    url: address,
    snippet: htmlToText(snippet, hitLimits.snippet),
    ...(when !== "" && { date: when }),
  };
}

/** Returns a date as `YYYY-MM-DD` where it is one or begins with one, else as the service wrote it: "2 days ago". */
export function cleanDate(date: unknown): string {
  const text = cleanText(date, 40);
  const day = /^\d{4}-\d{2}-\d{2}(?=$|[T ])/.exec(text)?.[0];
  return day === undefined || Number.isNaN(Date.parse(day)) ? text : day;
}

/** Returns Unix seconds as an ISO time to the second, or `undefined` for what is no such number, or before 1970 or after 9999. */
export function toIsoTime(seconds: unknown): string | undefined {
  if (typeof seconds !== "number" || !(seconds >= 0 && seconds < 253_402_300_800)) return undefined;
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
}

/** The hits of one search: short JSON, for the model and as an artifact. */
export type FoundHits<Hit> = {
  service: string;
  /** The query, where there is one. */
  query?: string | undefined;
  hits: readonly Hit[];
  /** A remark for the model. @default where there is no hit: to try other words */
  note?: string | undefined;
};

/**
 * Makes the result of a search: the hits for the model as `{ results, note? }`, and as an artifact of type `search_hits`
 * for the caller.
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
