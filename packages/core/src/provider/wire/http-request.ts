import { isPiecewise } from "./json-body.ts";
import type { PiecewiseBody } from "./json-body.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";

/** An HTTP request for `sendRequest`: parsed URL, flat headers, and the body, whole or in pieces. */
export type HttpRequest = {
  url: URL;
  method: string;
  /** The headers as alternating names and values. */
  headers: string[];
  body?: string | Uint8Array | PiecewiseBody | undefined;
  signal?: AbortSignal | undefined;
} & RequestTimeouts;

/** Timeouts of one request. @default those of its pool */
export type RequestTimeouts = {
  /** Milliseconds to wait for the head of the reply. */
  headersTimeoutMs?: number | undefined;
  /** Milliseconds to wait for the next bytes of the reply. */
  idleTimeoutMs?: number | undefined;
};

/** A request as a caller describes it, with headers by name. @default a GET request without a body */
type RequestParts = Partial<Omit<HttpRequest, "url" | "method" | "headers">> & {
  method?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
};

/** Headers that the connection sets itself, whatever the caller sends. */
const ownHeaders = ["host", "connection", "content-length", "transfer-encoding", "keep-alive", "upgrade", "expect"];

/**
 * Makes the request for `sendRequest`. Omits headers that the connection sets itself, such as `host`, and adds `accept`
 * and `accept-encoding` if missing. Throws `invalid_request` for a URL that is not http: or https:.
 */
export function toHttpRequest(url: string | URL, request: RequestParts): HttpRequest {
  const { method = "GET", headers, body, signal, headersTimeoutMs, idleTimeoutMs } = request;
  const row = toRow(headers);
  // Without a content length the body would be sent in chunks, which not every server accepts.
  if (isPiecewise(body)) row.push("content-length", String(body.byteLength));
  return {
    url: parseUrl(url),
    method: method.toUpperCase(),
    headers: row,
    body,
    signal,
    headersTimeoutMs,
    idleTimeoutMs,
  };
}

/** Returns the headers that are sent as alternating names and values. */
function toRow(headers: RequestParts["headers"] = {}): string[] {
  const row: string[] = [];
  let [hasAccept, hasEncoding] = [false, false];
  for (const [name, value] of Object.entries(headers)) {
    const key = name.toLowerCase();
    if (ownHeaders.includes(key)) continue;
    hasAccept ||= key === "accept";
    hasEncoding ||= key === "accept-encoding";
    row.push(name, value);
  }
  if (!hasAccept) row.push("accept", "*/*");
  // Replies are requested uncompressed: a compressed stream of small events costs more than it saves.
  if (!hasEncoding) row.push("accept-encoding", "identity");
  return row;
}

/** Parses the URL of a request. Throws `invalid_request` for a URL that is not http: or https:. */
export function parseUrl(address: string | URL): URL {
  const url = address instanceof URL ? address : URL.parse(address);
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  // A URL may contain a key, so the error does not show it.
  throw new TroupeError("invalid_request", "url must be an absolute http: or https: address.");
}
