import { TroupeError } from "../errors/troupe-error.ts";

/** An HTTP request as `sendRequest` takes it: parsed URL, flat headers, whole body. */
export type HttpRequest = {
  url: URL;
  method: string;
  /** Names and values alternately. */
  headers: string[];
  body?: string | Uint8Array | undefined;
  signal?: AbortSignal | undefined;
} & RequestTimeouts;

/** Timeouts of one request. @default those of its pool */
export type RequestTimeouts = {
  /** Milliseconds to wait for the head of the reply. */
  headersTimeoutMs?: number | undefined;
  /** Milliseconds to wait for the next bytes of the reply. */
  idleTimeoutMs?: number | undefined;
};

type HeaderSource = Iterable<readonly [string, string]> | Readonly<Record<string, string | undefined>>;

/** A request whose headers have any form that `fetch` takes. */
type RequestParts = Omit<HttpRequest, "headers"> & {
  headers?: HeaderSource | undefined;
  /** Content type of the body, unless the headers have one. */
  contentType?: string | null | undefined;
};

/** Headers that the connection sets itself, whatever the caller sends. */
const ownHeaders = ["host", "connection", "content-length", "transfer-encoding", "keep-alive", "upgrade", "expect"];

/**
 * Makes the request for `sendRequest`. Leaves out headers that the connection sets itself, like `host`, and adds
 * `accept`, `accept-encoding` and the content type where they are missing.
 */
export function toHttpRequest({ headers = {}, contentType, ...request }: RequestParts): HttpRequest {
  const row: string[] = [];
  const names = new Set<string>();
  for (const [name, value] of entriesOf(headers)) {
    const key = name.toLowerCase();
    if (value === undefined || ownHeaders.includes(key)) continue;
    names.add(key);
    row.push(name, value);
  }
  if (!names.has("accept")) row.push("accept", "*/*");
  // A compressed stream of small events costs more than it saves.
  if (!names.has("accept-encoding")) row.push("accept-encoding", "identity");
  if (typeof contentType === "string" && !names.has("content-type")) row.push("content-type", contentType);
  return { ...request, headers: row };
}

function entriesOf(headers: HeaderSource): Iterable<readonly [string, string | undefined]> {
  return isIterable(headers) ? headers : Object.entries(headers);
}

function isIterable(headers: HeaderSource): headers is Iterable<readonly [string, string]> {
  return Symbol.iterator in headers;
}

type Content = { body?: string | Uint8Array; contentType?: string | null };

/**
 * Makes the request for `sendRequest` from the arguments of `fetch`. A body other than a string or bytes (a form, a
 * blob, a stream) is read first.
 */
export async function fromFetchArguments(
  input: string | URL | Request,
  init: RequestInit & RequestTimeouts = {},
): Promise<HttpRequest> {
  if (typeof input === "object" && "url" in input) {
    const { url, method, headers, body, signal } = input;
    return fromFetchArguments(url, { method, headers, body, signal, ...init });
  }
  return toHttpRequest({
    url: parseUrl(input),
    method: (init.method ?? "GET").toUpperCase(),
    headers: init.headers,
    signal: init.signal ?? undefined,
    headersTimeoutMs: init.headersTimeoutMs,
    idleTimeoutMs: init.idleTimeoutMs,
    ...(await readContent(init.body)),
  });
}

/** Parses the address of a request. Throws `invalid_request` for one that is not http: or https:. */
export function parseUrl(address: string | URL): URL {
  const url = URL.parse(String(address));
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  // An address may hold a key, so it is not shown.
  throw new TroupeError("invalid_request", "url must be an absolute http: or https: address.");
}

async function readContent(body: RequestInit["body"]): Promise<Content> {
  if (body === undefined || body === null) return {};
  if (typeof body === "string") return { body, contentType: "text/plain;charset=UTF-8" };
  if (body instanceof Uint8Array) return { body };
  const content = new Response(body);
  return { body: new Uint8Array(await content.arrayBuffer()), contentType: content.headers.get("content-type") };
}
