import { readObject, readObjects } from "@troupe/core/kit";
import { toHits } from "./search-provider.ts";
import type { SearchProvider } from "./search-provider.ts";

/** HTTP statuses of an exhausted plan, and of a limit that the user set. */
const planStatuses: ReadonlySet<number> = new Set([432, 433]);

/** Tavily, a search for language models. */
export const tavily: SearchProvider = {
  name: "Tavily",
  baseURL: "https://api.tavily.com",
  environment: ["TAVILY_API_KEY"],
  mostResults: 20,
  request: ({ query, count, timeRange }, { baseURL, key }) => ({
    url: `${baseURL}/search`,
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ query, max_results: count, search_depth: "basic", time_range: timeRange }),
  }),
  read(reply) {
    const { results } = readObject(reply.json());
    if (!Array.isArray(results)) throw reply.unexpected();
    return readObjects(results).flatMap(({ title, url, content, published_date: date, score }) =>
      toHits({ title, url, snippet: content, date, score }),
    );
  },
  explain: ({ status }) => (planStatuses.has(status) ? { problem: "quota_exceeded" } : undefined),
};
