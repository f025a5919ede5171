import { readObject, readObjects, readText } from "@troupe/core/kit";
import type { ServiceFailure, ServiceReply } from "@troupe-internal/toolkit";
import { toHits } from "./search-provider.ts";
import type { SearchProvider } from "./search-provider.ts";

/** Brave Search, which has an index of its own. */
export const brave: SearchProvider = {
  name: "Brave Search",
  baseURL: "https://api.search.brave.com",
  environment: ["BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY"],
  mostResults: 20,
  request({ query, count, timeRange }, { baseURL, key }) {
    const range = timeRange === undefined ? {} : { freshness: `p${timeRange.charAt(0)}` };
    const asked = new URLSearchParams({ q: query, count: String(count), ...range });
    return {
      url: `${baseURL}/res/v1/web/search?${String(asked)}`,
      headers: { "x-subscription-token": key, accept: "application/json" },
    };
  },
  read(reply) {
    const { type, query, web } = readObject(reply.json());
    // An answer without results has no `web` field.
    if (web === undefined && type === "search" && typeof query === "object") return [];
    const { results } = readObject(web);
    if (!Array.isArray(results)) throw reply.unexpected();
    return readObjects(results).flatMap(({ title, url, description, page_age: date, age }) =>
      toHits({ title, url, snippet: description, date: date ?? age }),
    );
  },
  explain(reply) {
    const { code } = readObject(readObject(reply.tryJson())["error"]);
    if (readText(code) === "SUBSCRIPTION_TOKEN_INVALID") return { problem: "credential_refused" };
    return reply.status === 429 ? explainLimits(reply) : undefined;
  },
};

/** A limit with at least this many seconds to wait is the monthly limit, not the limit per second. */
const monthly = 3600;

/**
 * Explains a rate limit of Brave by the longest wait among the exceeded limits. The headers list all limits, usually
 * one per second and one per month: `x-ratelimit-remaining: 0, 1995` and `x-ratelimit-reset: 1, 86400`. Returns
 * `undefined` if no limit is exceeded.
 */
function explainLimits({ headers }: ServiceReply): ServiceFailure | undefined {
  const numbersOf = (name: string) => (headers.get(name) ?? "").split(",").map((text) => Number.parseInt(text, 10));
  const [remaining, resets] = [numbersOf("x-ratelimit-remaining"), numbersOf("x-ratelimit-reset")];
  const waits = resets.filter((seconds, index) => remaining[index] === 0 && seconds >= 0);
  if (waits.length === 0) return undefined;
  const wait = Math.max(...waits);
  return wait >= monthly ? { problem: "quota_exceeded" } : { problem: "rate_limited", retryAfterMs: wait * 1000 };
}
