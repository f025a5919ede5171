import type { LookupFunction } from "node:net";
import { loadUndici } from "./connection-pool.ts";
import { decodeBody } from "./decode-body.ts";
import { refusedUrlError } from "./guard-url.ts";
import { toHttpRequest } from "./http-request.ts";
import { readReplyHeader, toFetchHeaders } from "./reply.ts";
import { sendRequest } from "./send-request.ts";

/** One request of `fetchHop`: the first request of a fetch, or a request that follows a redirect. */
export type HopRequest = {
  url: URL;
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
};

/** A whole HTTP reply of `fetchHop`, of any status except a redirect to follow. */
export type HopReply = { status: number; headers: Headers; url: string; bytes: Uint8Array };

/** Limits of one request. The signal ends it and closes its socket. */
type HopLimits = { lookup: LookupFunction; maxBytes: number; cutsReply?: boolean; signal: AbortSignal };

/**
 * Sends one request over a separate connection, which stays open until the signal aborts. Returns the whole reply; for
 * a redirect, returns the next request without sending it.
 */
export async function fetchHop(
  hop: HopRequest,
  { lookup, maxBytes, cutsReply = false, signal }: HopLimits,
): Promise<HopReply | HopRequest> {
  const undici = await loadUndici();
  const client = new undici.Client(hop.url.origin, {
    connect: { lookup, signal, timeout: 0 },
    // There are no timeouts here, because the signal limits the time of the whole fetch, with all its redirects.
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
  });
  const { status, headers, body } = await sendRequest(toHttpRequest(hop.url, { ...hop, signal }), client);
  const next = nextHop(hop, status, readReplyHeader(headers, "location"));
  if (next !== undefined) return next;
  const bytes = await readAll(await decodeBody(headers, body), maxBytes, cutsReply);
  return { status, headers: toFetchHeaders(headers), url: hop.url.href, bytes };
}

async function readAll(body: AsyncIterable<Uint8Array>, maxBytes: number, isCut: boolean): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBytes && !isCut) throw refusedUrlError("too_large");
    chunks.push(chunk);
    if (length > maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}

/** Headers that may be sent to another origin after a redirect, because they cannot contain a secret. */
const harmless = ["accept", "accept-language", "user-agent"];

const redirects = [301, 302, 303, 307, 308];

/** Returns the request for a redirect; undefined if the reply is not a redirect. The new URL is not checked yet. */
function nextHop(hop: HopRequest, status: number, location: string | undefined): HopRequest | undefined {
  if (!redirects.includes(status) || location === undefined) return undefined;
  const url = URL.parse(location, hop.url.href);
  if (url === null) throw refusedUrlError("not_http");

  const next = becomesGet(hop.method, status) ? toGet(hop, url) : { ...hop, url };
  if (url.origin === hop.url.origin) return next;
  if (next.body !== undefined) throw refusedUrlError("redirected_body");
  return { ...next, headers: pick(next.headers, (name) => harmless.includes(name)) };
}

function becomesGet(method: string, status: number): boolean {
  return status === 303 ? method !== "HEAD" : status < 303 && method === "POST";
}

function toGet({ headers }: HopRequest, url: URL): HopRequest {
  return { url, method: "GET", headers: pick(headers, (name) => !name.startsWith("content-")) };
}

function pick(headers: HopRequest["headers"], isKept: (name: string) => boolean): HopRequest["headers"] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isKept(name.toLowerCase())));
}
