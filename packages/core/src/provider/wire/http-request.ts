import { isPiecewise } from "./json-body.ts";
import type { PiecewiseBody } from "./json-body.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";

/** An HTTP request as `sendRequest` takes it: parsed URL, flat headers, and the body, whole or in pieces. */
export type HttpRequest = {
  url: URL;
  method: string;
  /** Names and values alternately. */
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

/** A request whose headers are by name. */
type RequestParts = Omit<HttpRequest, "headers"> & { headers?: Readonly<Record<string, string>> | undefined };

/** Headers that the connection sets itself, whatever the caller sends. */
const ownHeaders = ["host", "connection", "content-length", "transfer-encoding", "keep-alive", "upgrade", "expect"];

/**
 * Makes the request for `sendRequest`. Leaves out headers that the connection sets itself, like `host`, and adds
 * `accept` and `accept-encoding` where they are missing.
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
  // A compressed stream of small events costs more than it saves.
  if (!names.has("accept-encoding")) row.push("accept-encoding", "identity");
  const { body } = request;
  // Without it the body would be sent in chunks, which not every server takes.
  if (isPiecewise(body)) row.push("content-length", String(body.byteLength));
  return { ...request, headers: row };
}

/** Parses the address of a request. Throws `invalid_request` for one that is not http: or https:. */
export function parseUrl(address: string | URL): URL {
  const url = address instanceof URL ? address : URL.parse(address);
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  // An address may hold a key, so it is not shown.
  throw new TroupeError("invalid_request", "url must be an absolute http: or https: address.");
}
