import type { ToolDef } from "@troupe/core";
import { readObject, readObjects } from "@troupe/core/kit";
import { cleanText, defineSearchTool, toIsoTime, toSearchHit } from "@troupe-internal/toolkit";
import type { Ask, ServiceReply } from "@troupe-internal/toolkit";
import { blocked, explain, isBlocked, requestHeaders } from "./blocks.ts";
import type { Access } from "./blocks.ts";
import type { DuckDuckGoArticle } from "./hits.ts";

/** Makes the tool `duckduckgo_news`. */
export function newsTool(access: Access): ToolDef {
  return defineSearchTool({
    ...access,
    name: "duckduckgo_news",
    description:
      "Searches news articles with DuckDuckGo and returns title, address, a short extract, date and newspaper of each. Articles themselves are not opened. DuckDuckGo may block automated requests; then the error says so, and nothing is known of the news.",
    queryDescription: "Words to search the news for: a topic, a person, a place.",
    hitsName: "articles",
    timeRange: {
      type: "string",
      description: "Returns only articles from the last day, week or month. Leave it out for articles of any age.",
      enum: ["day", "week", "month"],
    },
    find: async (ask, { query, timeRange }) => {
      const base = access.baseURL ?? "https://duckduckgo.com";
      const vqd = await readToken(ask, base, query);
      const asked = { l: access.region, o: "json", noamp: "1", q: query, vqd, p: "-1", df: timeRange?.charAt(0) ?? "" };
      return readArticles(await get(ask, `${base}/news.js`, asked));
    },
  });
}

async function get(ask: Ask, address: string, query: Readonly<Record<string, string>>): Promise<ServiceReply> {
  const reply = await ask({ url: `${address}?${String(new URLSearchParams(query))}`, headers: requestHeaders });
  return reply.requireOk(explain);
}

/**
 * Reads the token that the news search requires from the page of a web search. Throws if the page has no token, usually
 * because DuckDuckGo blocks the request.
 */
async function readToken(ask: Ask, base: string, query: string): Promise<string> {
  const page = await get(ask, `${base}/`, { q: query });
  const [, quoted, plain] = /vqd=(?:["']([\d-]{3,200})["']|([\d-]{3,200})&)/.exec(page.text) ?? [];
  const token = quoted ?? plain;
  if (token !== undefined) return token;
  if (isBlocked(page)) throw page.toError(blocked);
  const happened = "gave no token for a search of news";
  throw page.toError({ problem: "unreadable", happened, advice: "It may be a block: use another search tool." });
}

function readArticles(reply: ServiceReply): DuckDuckGoArticle[] {
  const { results } = readObject(reply.tryJson());
  if (Array.isArray(results)) return readObjects(results).flatMap(toArticle);
  if (isBlocked(reply)) throw reply.toError(blocked);
  // If the reply is not JSON, throws an error that describes why.
  reply.json();
  throw reply.unexpected();
}

function toArticle({ title, url, excerpt, date, source }: Record<string, unknown>): DuckDuckGoArticle[] {
  const hit = toSearchHit({ title, url, snippet: excerpt });
  if (hit === undefined) return [];
  const [time, paper] = [toIsoTime(date), cleanText(source, 80)];
  return [{ ...hit, ...(time !== undefined && { date: time }), ...(paper !== "" && { source: paper }) }];
}
