import { startDeadline } from "../../base/async/start-deadline.ts";
import {
  booleanOption,
  functionOption,
  integerOption,
  optional,
  timeoutOption,
} from "../../base/errors/option-checks.ts";
import { readOptions } from "../../base/errors/read-options.ts";
import type { OptionTable } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { fetchHop } from "./fetch-hop.ts";
import type { HopReply, HopRequest } from "./fetch-hop.ts";
import {
  toAllowedPrivateHosts,
  guardLookup,
  guardUrl,
  isAllowedPrivateHost,
  allowPrivateHostsOption,
  refusedUrlError,
  systemLookup,
} from "./guard-url.ts";
import type { AllowedPrivateHosts } from "./guard-url.ts";

/** Looks up the addresses of a host, as `dns.lookup` of Node does. Written here for programs without Node's types. */
export type HostLookup = (
  hostname: string,
  options: { all?: boolean | undefined },
  callback: (error: Error | null, address: string | { address: string; family: number }[], family?: number) => void,
) => void;

/** Options of `createGuardedFetch`. */
export type GuardedFetchOptions = {
  /** Private hosts that may be reached, each as `host:port`. @default [] */
  allowPrivateHosts?: readonly string[];
  /** Maximum size of a reply in bytes, decoded. @default 10_485_760 */
  maxBytes?: number;
  /** True to stop reading a longer reply after `maxBytes`; false to reject it. @default false */
  cutsReply?: boolean;
  /** Milliseconds for the whole request, including redirects. @default 30_000 */
  timeoutMs?: number;
  /** Maximum number of redirects that are followed. @default 3 */
  maxRedirects?: number;
  /** Resolves host names. @default the operating system's lookup */
  lookup?: HostLookup;
};

/** Options of one request of a `GuardedFetch`. */
type GuardedRequest = {
  /** The HTTP method. @default "GET" */
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  signal?: AbortSignal;
};

/** The whole reply of a `GuardedFetch`, of any status. `url` is the address after redirects. */
type GuardedReply = { status: number; headers: Headers; url: string; bytes: Uint8Array };

/**
 * Fetches a URL from outside (from a request, a model, an agent card or a tool). Private hosts are rejected unless
 * `allowPrivateHosts` contains them.
 */
export type GuardedFetch = (url: string | URL, request?: GuardedRequest) => Promise<GuardedReply>;

const optionTable = {
  allowPrivateHosts: optional(allowPrivateHostsOption, []),
  maxBytes: optional(integerOption(1, 2 ** 31 - 1), 10_485_760),
  cutsReply: optional(booleanOption, false),
  timeoutMs: optional(timeoutOption, 30_000),
  maxRedirects: optional(integerOption(0), 3),
  lookup: optional(functionOption<HostLookup>(), systemLookup),
} satisfies OptionTable<GuardedFetchOptions>;

/**
 * Makes a fetch that only reaches public hosts. It checks the address in the URL and the addresses from its lookup, and
 * checks again after every redirect. A rejection is `invalid_request` with the reason in `fields`; an abort rejects
 * with the signal's reason. Not for the operator's own addresses, which may be private. Troupe has its own `fetch`,
 * because the connection must use the checked addresses.
 */
export function createGuardedFetch(options: GuardedFetchOptions = {}): GuardedFetch {
  const { allowPrivateHosts, timeoutMs, ...limits } = readOptions(optionTable, options, {
    owner: "createGuardedFetch",
  });
  const rules: Rules = { ...limits, allowed: toAllowedPrivateHosts(allowPrivateHosts) };

  const lateMessage = `The request took longer than ${timeoutMs} ms. Raise timeoutMs to wait longer.`;

  return async (url, { signal: outer, method = "GET", headers = {}, body } = {}) => {
    const hop = { url: guardUrl(url, rules.allowed), method: method.toUpperCase(), headers, ...(body && { body }) };
    const deadline = startDeadline(timeoutMs, lateMessage, outer);
    try {
      return await follow(hop, rules, deadline.signal);
    } catch (error) {
      throw deadline.signal.aborted ? deadline.signal.reason : toRefusal(error);
    } finally {
      deadline.end();
    }
  };
}

type Rules = {
  allowed: AllowedPrivateHosts;
  maxBytes: number;
  cutsReply: boolean;
  maxRedirects: number;
  lookup: HostLookup;
};

async function follow(first: HopRequest, rules: Rules, signal: AbortSignal): Promise<HopReply> {
  let hop = first;
  for (let redirects = 0; ; redirects++) {
    const lookup = isAllowedPrivateHost(hop.url, rules.allowed) ? rules.lookup : guardLookup(rules.lookup);
    const result = await fetchHop(hop, { lookup, maxBytes: rules.maxBytes, cutsReply: rules.cutsReply, signal });
    if ("bytes" in result) return result;
    if (redirects === rules.maxRedirects) throw refusedUrlError("too_many_redirects");
    hop = { ...result, url: guardUrl(result.url, rules.allowed) };
  }
}

/**
 * Converts a network failure into a rejection of the URL if the lookup rejected it: the rejection is then the cause of
 * a failed connection.
 */
function toRefusal(error: unknown): unknown {
  if (!TroupeError.is(error)) return refusedUrlError("unreachable", error);
  if (TroupeError.is(error.cause)) return error.cause;
  return error.code === "invalid_request" ? error : refusedUrlError("unreachable", error.cause);
}
