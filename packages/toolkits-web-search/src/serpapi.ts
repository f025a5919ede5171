import { readObject, readObjects, readText } from "@troupe/core/kit";
import { toHits } from "./search-provider.ts";
import type { SearchProvider } from "./search-provider.ts";

/** SerpAPI, which reads Google's result pages. Its key is part of the URL of a request. */
export const serpapi: SearchProvider = {
  name: "SerpAPI",
  baseURL: "https://serpapi.com",
  environment: ["SERPAPI_API_KEY"],
  // Google's pages have ten results, even if the request asks for more.
  mostResults: 10,
  request({ query, timeRange }, { baseURL, key }) {
    const range = timeRange === undefined ? {} : { tbs: `qdr:${timeRange.charAt(0)}` };
    const asked = new URLSearchParams({ engine: "google", q: query, output: "json", ...range, api_key: key });
    return { url: `${baseURL}/search.json?${String(asked)}` };
  },
  read(reply) {
    const answer = readObject(reply.json());
    const { organic_results: results, search_metadata: metadata, error } = answer;
    if (Array.isArray(results)) {
      return readObjects(results).flatMap(({ title, link, snippet, date }) =>
        toHits({ title, url: link, snippet, date }),
      );
    }
    // SerpAPI reports a search without results as an error, with status 200.
    if (typeof error === "string") {
      if (/hasn't returned any results/i.test(error)) return [];
      throw reply.toError({ problem: "refused", happened: "could not make this search", advice: "Try other words." });
    }
    if (typeof metadata !== "object" || metadata === null) throw reply.unexpected();
    return [];
  },
  explain(reply) {
    const error = readText(readObject(reply.tryJson())["error"]);
    return reply.status === 429 && /run out of searches/i.test(error) ? { problem: "quota_exceeded" } : undefined;
  },
};
