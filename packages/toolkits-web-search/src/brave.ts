import { readObject, readObjects, readText } from "@troupe/core/kit";
import type { ServiceFailure, ServiceReply } from "@troupe-internal/toolkit";
import { toHits } from "./search-provider.ts";
import type { SearchProvider } from "./search-provider.ts";

/** Brave Search, with an index of its own. */
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
    // Without hits it leaves `web` out.
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

/** From this wait on, in seconds, a limit is that of the month and not that of a second. */
const monthly = 3600;

/**
 * Explains a rate limit by the longest wait of the limits that are reached. The headers list all limits, as a rule those
 * of a second and of a month: `x-ratelimit-remaining: 0, 1995` and `x-ratelimit-reset: 1, 86400`.
 */
function explainLimits({ headers }: ServiceReply): ServiceFailure | undefined {
  const numbersOf = (name: string) => (headers.get(name) ?? "").split(",").map((text) => Number.parseInt(text, 10));
  const [remaining, resets] = [numbersOf("x-ratelimit-remaining"), numbersOf("x-ratelimit-reset")];
  const waits = resets.filter((seconds, index) => remaining[index] === 0 && seconds >= 0);
  if (waits.length === 0) return undefined;
  const wait = Math.max(...waits);
  return wait >= monthly ? { problem: "quota_exceeded" } : { problem: "rate_limited", retryAfterMs: wait * 1000 };
}
