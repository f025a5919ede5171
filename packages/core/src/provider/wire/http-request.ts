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

/** A request with headers by name. */
type RequestParts = Omit<HttpRequest, "headers"> & { headers?: Readonly<Record<string, string>> | undefined };

/** Headers that the connection sets itself, whatever the caller sends. */
const ownHeaders = ["host", "connection", "content-length", "transfer-encoding", "keep-alive", "upgrade", "expect"];

/**
 * Makes the request for `sendRequest`. Omits headers that the connection sets itself, such as `host`, and adds `accept`
 * and `accept-encoding` if missing.
 */
export function toHttpRequest({ headers = {}, ...request }: RequestParts): HttpRequest {
  const row: string[] = [];
  const names = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    const key = name.toLowerCase();
    if (ownHeaders.includes(key)) continue;
    names.add(key);
    row.push(name, value);
  }
  if (!names.has("accept")) row.push("accept", "*/*");
  // Replies are requested uncompressed: a compressed stream of small events costs more than it saves.
  if (!names.has("accept-encoding")) row.push("accept-encoding", "identity");
  const { body } = request;
  // Without a content length the body would be sent in chunks, which not every server accepts.
  if (isPiecewise(body)) row.push("content-length", String(body.byteLength));
  return { ...request, headers: row };
}

/** Parses the URL of a request. Throws `invalid_request` for a URL that is not http: or https:. */
export function parseUrl(address: string | URL): URL {
  const url = address instanceof URL ? address : URL.parse(address);
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  // A URL may contain a key, so the error does not show it.
  throw new TroupeError("invalid_request", "url must be an absolute http: or https: address.");
}
