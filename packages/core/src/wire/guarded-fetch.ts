import { lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { TroupeError } from "../errors/troupe-error.ts";
import { startDeadline } from "./deadline.ts";
import { guardLookup } from "./guard-lookup.ts";
import { type AllowedHosts, allowedHosts, guardUrl, isAllowed } from "./guard-url.ts";
import type { Hop } from "./next-hop.ts";
import { positiveInteger } from "./positive-integer.ts";
import { urlRefusal } from "./url-refusal.ts";
import { type Answer, visit } from "./visit.ts";

/** What a guarded fetch allows. */
export type GuardedFetchOptions = {
  /** Private hosts that may be reached all the same, each as `host:port`. @default [] */
  allowPrivateHosts?: readonly string[];
  /** The most bytes that a reply may have, decoded. @default 10_485_760 */
  maxBytes?: number;
  /** The longest time for everything, redirects included. @default 30_000 */
  timeoutMs?: number;
  /** How many redirects are followed. @default 3 */
  maxRedirects?: number;
  /** How names become addresses. @default the operating system's way */
  lookup?: LookupFunction;
};

/** What may be sent along. */
export type GuardedRequest = {
  /** @default "GET" */
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  signal?: AbortSignal;
};

/** The whole of a reply; `url` is the address that gave it. */
export type GuardedReply = { status: number; headers: Headers; url: string; bytes: Uint8Array };

/** Fetches a URL that came from outside: from a request, a model, a card or a tool. */
export type GuardedFetch = (url: string | URL, request?: GuardedRequest) => Promise<GuardedReply>;

/**
 * Makes a fetch that reaches public hosts only. Each address is checked where it is written and where it is looked up,
 * after every redirect again. What it refuses is `invalid_request`, with the reason in `fields`; an abort rejects with
 * the signal's reason. Not for the operator's own addresses, which may well be private.
 */
export function createGuardedFetch(options: GuardedFetchOptions = {}): GuardedFetch {
  const { maxBytes = 10_485_760, timeoutMs = 30_000, maxRedirects = 3, lookup = systemLookup } = options;
  const rules: Rules = {
    allowed: allowedHosts(options.allowPrivateHosts ?? []),
    maxBytes: positiveInteger("maxBytes", maxBytes),
    maxRedirects: maxRedirects === 0 ? 0 : positiveInteger("maxRedirects", maxRedirects),
    lookup,
  };
  positiveInteger("timeoutMs", timeoutMs);

  return async (url, { signal: outer, method = "GET", headers = {}, body } = {}) => {
    const hop = { url: guardUrl(url, rules.allowed), method: method.toUpperCase(), headers, ...(body && { body }) };
    const deadline = startDeadline("timeoutMs", timeoutMs, outer);
    try {
      return await follow(hop, rules, deadline.signal);
    } catch (error) {
      throw deadline.signal.aborted ? deadline.signal.reason : toRefusal(error);
    } finally {
      deadline.end();
    }
  };
}

type Rules = { allowed: AllowedHosts; maxBytes: number; maxRedirects: number; lookup: LookupFunction };

async function follow(first: Hop, rules: Rules, signal: AbortSignal): Promise<Answer> {
  let hop = first;
  for (let redirects = 0; ; redirects++) {
    const lookup = isAllowed(hop.url, rules.allowed) ? rules.lookup : guardLookup(rules.lookup);
    const result = await visit(hop, { lookup, maxBytes: rules.maxBytes, signal });
    if ("bytes" in result) return result;
    if (redirects === rules.maxRedirects) throw urlRefusal("too_many_redirects");
    hop = { ...result, url: guardUrl(result.url, rules.allowed) };
  }
}

/** What went wrong on the network counts against the URL. A refusal by the lookup comes wrapped as a failed connection. */
function toRefusal(error: unknown): unknown {
  if (!TroupeError.is(error)) return urlRefusal("unreachable", error);
  if (TroupeError.is(error.cause)) return error.cause;
  return error.code === "invalid_request" ? error : urlRefusal("unreachable", error.cause);
}
