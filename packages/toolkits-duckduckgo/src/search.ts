import type { ToolDef } from "@troupe/core";
import { defineSearchTool } from "@troupe-internal/toolkit";
import type { Ask, ServiceReply } from "@troupe-internal/toolkit";
import { blocked, explain, isBlocked, requestHeaders } from "./blocks.ts";
import type { Access } from "./blocks.ts";
import { readResultsPage, saysNoResults } from "./results-page.ts";
import type { DuckDuckGoHit } from "./hits.ts";

/** Makes the tool `duckduckgo_search`. */
export function searchTool(access: Access): ToolDef {
  return defineSearchTool({
    ...access,
    name: "duckduckgo_search",
    description:
      "Searches the web with DuckDuckGo and returns title, address and a short extract of each page found. Pages themselves are not opened. DuckDuckGo may block automated requests; then the error says so, and nothing is known of the results.",
    queryDescription: "Words to search for, as one would type them into a search engine.",
    hitsName: "results",
    find: async (ask, { query, timeRange }) => {
      const range = timeRange === undefined ? {} : { df: timeRange.charAt(0) };
      return await search(ask, access, { q: query, b: "", l: access.region, ...range });
    },
  });
}

/**
 * Searches with DuckDuckGo's html version. If its answer is not a results page, searches with the lite version. Throws
 * if neither returns a results page.
 */
async function search(ask: Ask, { baseURL }: Access, form: Readonly<Record<string, string>>): Promise<DuckDuckGoHit[]> {
  const post = async (url: string) => {
    const headers = { ...requestHeaders, accept: "text/html", "content-type": "application/x-www-form-urlencoded" };
    return await ask({ url, method: "POST", headers, body: String(new URLSearchParams(form)) });
  };
  const first = await post(`${baseURL ?? "https://html.duckduckgo.com"}/html/`);
  const found = readPage(first);
  if (found !== undefined) return found;
  const second = await post(`${baseURL ?? "https://lite.duckduckgo.com"}/lite/`);
  const hits = readPage(second);
  if (hits !== undefined) return hits;
  throw failureOf(isBlocked(first) ? first : second);
}

/**
 * Returns the results of a DuckDuckGo page, which may be empty. Returns `undefined` if the page is not a results page.
 */
function readPage(reply: ServiceReply): DuckDuckGoHit[] | undefined {
  const { status, text } = reply;
  const hits = status >= 200 && status <= 299 ? readResultsPage(text) : [];
  if (hits.length > 0) return hits;
  return status === 200 && !isBlocked(reply) && saysNoResults(text) ? [] : undefined;
}

/**
 * Makes the error for a DuckDuckGo page that shows no results. A page of an unknown form may be a block too, so it
 * never counts as "no results".
 */
function failureOf(reply: ServiceReply): Error {
  if (isBlocked(reply)) return reply.toError(blocked);
  if (reply.status < 200 || reply.status > 299) return reply.toError(explain(reply));
  const happened = "answered with a page that is no page of results";
  return reply.toError({ problem: "unreadable", happened, advice: "It may be a block: use another search tool." });
}
