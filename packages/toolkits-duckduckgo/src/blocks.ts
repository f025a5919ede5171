import { explainKeyless } from "@troupe-internal/toolkit";
import type { ExplainReply, Service, ServiceFailure, ServiceReply } from "@troupe-internal/toolkit";

/** The DuckDuckGo service and the settings that a tool uses. */
export type Access = {
  service: Service;
  baseURL: string | undefined;
  region: string;
  maxResults: number;
  timeoutMs: number;
};

/**
 * Headers of every request. DuckDuckGo answers only programs whose `user-agent` looks like the `user-agent` of a
 * browser. This header also names Troupe.
 */
export const requestHeaders = {
  "user-agent": "Mozilla/5.0 (compatible; troupe)",
  "accept-language": "en;q=0.5,*;q=0.1",
};

const blockedStatuses: ReadonlySet<number> = new Set([202, 403, 418, 429]);

/** The failure that is reported if DuckDuckGo suspects that a robot sent the request. */
export const blocked: ServiceFailure = {
  problem: "blocked",
  happened: "blocked this automated request, so nothing is known of its results",
  advice: "Do not repeat it soon: use another search tool, such as web_search with Tavily, SerpAPI, Brave or Exa.",
};

/** Returns true if a reply without results is a block: its status says so, or its page asks for a human. */
export function isBlocked({ status, text }: ServiceReply): boolean {
  return (
    blockedStatuses.has(status) ||
    /anomaly-modal|anomaly\.js|challenge-form|bots use DuckDuckGo|DDG detected an anomaly/i.test(text)
  );
}

/** Explains a reply of DuckDuckGo with an error status. */
export const explain: ExplainReply = (reply) => (isBlocked(reply) ? blocked : explainKeyless(reply));
