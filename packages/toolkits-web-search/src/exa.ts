import { readObject, readObjects } from "@troupe/core/kit";
import type { TimeRange } from "@troupe-internal/toolkit";
import { toHits } from "./search-provider.ts";
import type { SearchProvider } from "./search-provider.ts";

const days: Readonly<Record<TimeRange, number>> = { day: 1, week: 7, month: 31, year: 366 };

/** Exa, a semantic search. */
export const exa: SearchProvider = {
  name: "Exa",
  baseURL: "https://api.exa.ai",
  environment: ["EXA_API_KEY"],
  mostResults: 20,
  request({ query, count, timeRange }, { baseURL, key }) {
    const since =
      timeRange === undefined ? undefined : new Date(Date.now() - days[timeRange] * 86_400_000).toISOString();
    // Without `contents`, Exa returns no text.
    const contents = { text: { maxCharacters: 600 } };
    const body = { query, numResults: count, type: "auto", contents, startPublishedDate: since };
    return {
      url: `${baseURL}/search`,
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: JSON.stringify(body),
    };
  },
  read(reply) {
    const { results } = readObject(reply.json());
    if (!Array.isArray(results)) throw reply.unexpected();
    return readObjects(results).flatMap(({ title, url, text, publishedDate: date, score }) =>
      toHits({ title, url, snippet: text, date, score }),
    );
  },
  explain: () => undefined,
};
